import CLinux

/// Wakes a thread that waits for descriptors; raised any number of times, it is seen at least once.
package final class WakeSignal: Sendable {
    package let descriptor: Descriptor

    package init() {
        let number = longhaul_event_create()
        precondition(number >= 0, "No descriptor is left for a wake signal: error \(-number).")
        descriptor = Descriptor(number)
    }

    private init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// The same where the process can go on without it.
    package static func made() throws(SystemError) -> WakeSignal {
        WakeSignal(Descriptor(try value(longhaul_event_create())))
    }

    package func raise() {
        longhaul_event_raise(descriptor.number)
    }

    package func clear() {
        longhaul_event_clear(descriptor.number)
    }
}
