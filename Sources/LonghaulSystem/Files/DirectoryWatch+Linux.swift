import CLinux
import Glibc

/// Tells when something becomes of the names in directories (inotify(7)). A user has few of these watches, and other programs may
/// hold all.
package struct DirectoryWatch: Sendable {
    package struct Events: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// A name is new.
        package static let appears: Events = [Events(rawValue: UInt32(IN_CREATE)), replaced]
        /// Another file has taken the name.
        package static let replaced = Events(rawValue: UInt32(IN_MOVED_TO))
        package static let written = Events(rawValue: UInt32(IN_CLOSE_WRITE))
        /// Its permissions have changed.
        package static let permitted = Events(rawValue: UInt32(IN_ATTRIB))
        package static let vanishes = Events(rawValue: UInt32(IN_DELETE | IN_MOVED_FROM))
        /// The first of them only; then the directory is not watched any more.
        package static let once = Events(rawValue: UInt32(IN_ONESHOT) | UInt32(IN_DONT_FOLLOW))
    }

    /// Readable when something has happened.
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

    /// Whether something became of this name, or of any, since the last call; forgets all that happened.
    @discardableResult
    package func take(_ name: String? = nil) -> Bool {
        longhaul_watch_take(descriptor.number, name) != 0
    }
}
