import CLinux

/// Notices that the clock was set or that another time zone counts. Whoever has it waits until one of its descriptors can be
/// read and then asks `hasChanged`; nothing is looked at now and then. Belongs to one thread.
package struct ClockWatch: Sendable {
    private let clock: Descriptor?
    private let zone: DirectoryWatch?

    /// What the kernel cannot watch is missing here: then dates of the calendar are as they were when they were last computed.
    package init(zoneDirectory: String = "/etc") {
        let number = longhaul_clock_open()
        clock = number >= 0 ? Descriptor(number) : nil
        zone = try? DirectoryWatch(zoneDirectory, for: [.appears, .written])
    }

    package var descriptors: [Descriptor] { [clock, zone?.descriptor].compactMap { $0 } }

    /// Whether anything has changed since the last call.
    package func hasChanged() -> Bool {
        let wasSet = clock.map { longhaul_clock_was_set($0.number) != 0 } ?? false
        let isElsewhere = zone?.take("localtime") ?? false
        return wasSet || isElsewhere
    }
}
