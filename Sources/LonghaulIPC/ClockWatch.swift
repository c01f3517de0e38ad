import CLinux

/// Notices that the clock was set or that another time zone counts. Whoever has it waits until one of its descriptors can be
/// read and then asks `hasChanged`; nothing is looked at now and then. Belongs to one thread.
package struct ClockWatch: Sendable {
    private let clock: Descriptor?
    private let zone: Descriptor?

    /// What the kernel cannot watch is missing here: then dates of the calendar are as they were when they were last computed.
    package init(zoneDirectory: String = "/etc") {
        clock = Self.descriptor(longhaul_clock_open())
        zone = Self.descriptor(longhaul_zone_open(zoneDirectory))
    }

    package var descriptors: [Descriptor] { [clock, zone].compactMap { $0 } }

    /// Whether anything has changed since the last call.
    package func hasChanged() -> Bool {
        let wasSet = clock.map { longhaul_clock_was_set($0.number) != 0 } ?? false
        let isElsewhere = zone.map { longhaul_zone_changed($0.number) != 0 } ?? false
        return wasSet || isElsewhere
    }

    private static func descriptor(_ number: Int32) -> Descriptor? {
        number >= 0 ? Descriptor(number) : nil
    }
}
