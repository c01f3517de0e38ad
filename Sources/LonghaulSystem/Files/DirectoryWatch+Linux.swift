#if os(Linux)
    import CPlatform
    import Glibc

    /// Watches for changes of names in directories (inotify(7)). The number of watches per user is limited, and other
    /// programs may use all of them.
    package struct DirectoryWatch: Sendable {
        package struct Events: OptionSet, Sendable {
            package let rawValue: UInt32

            package init(rawValue: UInt32) {
                self.rawValue = rawValue
            }

            /// A name was created.
            package static let appears: Events = [Events(rawValue: UInt32(IN_CREATE)), replaced]
            /// Another file was moved to the name.
            package static let replaced = Events(rawValue: UInt32(IN_MOVED_TO))
            package static let written = Events(rawValue: UInt32(IN_CLOSE_WRITE))
            /// The permissions of a file changed.
            package static let permitted = Events(rawValue: UInt32(IN_ATTRIB))
            package static let vanishes = Events(rawValue: UInt32(IN_DELETE | IN_MOVED_FROM))
            /// Only the first event; then the directory is no longer watched.
            package static let once = Events(rawValue: UInt32(IN_ONESHOT) | UInt32(IN_DONT_FOLLOW))
        }

        /// Readable after an event.
        package let descriptor: Descriptor

        package init() throws(SystemError) {
            descriptor = Descriptor(try value(longhaul_watch_open()))
        }

        /// Watches one directory.
        package init(_ directory: String, for events: Events) throws(SystemError) {
            try self.init()
            try add(directory, for: events)
        }

        /// Watches another directory too.
        package func add(_ directory: String, for events: Events) throws(SystemError) {
            try value(longhaul_watch_add(descriptor.number, directory, events.rawValue))
        }

        /// Returns whether an event affected this name, or any name, since the last call. Clears all events.
        @discardableResult
        package func readEvents(_ name: String? = nil) -> Bool {
            longhaul_watch_take(descriptor.number, name) != 0
        }
    }
#endif
