#if os(Linux)
    import CPlatform

    /// Detects that the clock was set or the time zone changed, without polling. The owner waits until one of the
    /// descriptors is readable, and then calls `hasChanged`. Belongs to one thread.
    package struct ClockWatch: Sendable {
        private let clock: Descriptor?
        private let zone: DirectoryWatch?

        /// Creates the watch. If the kernel cannot watch one of the two, calendar dates stay as they were last computed.
        package init(zoneDirectory: String = "/etc") {
            let number = longhaul_clock_open()
            clock = number >= 0 ? Descriptor(number) : nil
            zone = try? DirectoryWatch(zoneDirectory, for: [.appears, .written])
        }

        package var descriptors: [Descriptor] { [clock, zone?.descriptor].compactMap { $0 } }

        /// Returns whether anything has changed since the last call.
        package func hasChanged() -> Bool {
            let wasSet = clock.map { longhaul_clock_was_set($0.number) != 0 } ?? false
            let isElsewhere = zone?.readEvents("localtime") ?? false
            return wasSet || isElsewhere
        }
    }
#endif
