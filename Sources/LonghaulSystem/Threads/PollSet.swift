import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The operations that a descriptor is ready for, or waited for.
@usableFromInline package struct Readiness: OptionSet, Sendable {
    @usableFromInline package let rawValue: Int32

    @inlinable package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    @inlinable package static var readable: Readiness { Readiness(rawValue: 1) }
    @inlinable package static var writable: Readiness { Readiness(rawValue: 2) }
    /// Always reported: the other end has closed.
    @inlinable package static var hungUp: Readiness { Readiness(rawValue: 4) }

    /// Converts the events of poll(2).
    package init(pollEvents events: Int32) {
        self = []
        if events & Int32(POLLIN) != 0 { insert(.readable) }
        if events & Int32(POLLOUT) != 0 { insert(.writable) }
        if events & Int32(POLLHUP | POLLERR | POLLNVAL) != 0 { insert(.hungUp) }
    }

    fileprivate var pollEvents: Int16 {
        (contains(.readable) ? Int16(POLLIN) : 0) | (contains(.writable) ? Int16(POLLOUT) : 0)
    }
}

/// `poll(2)` over a few descriptors.
package enum PollSet {
    /// Waits for at most `milliseconds` (-1: forever), and returns the readiness of each descriptor, in order. Ends
    /// early and without a result if a signal interrupts it, or if the kernel refuses to wait. Skips a descriptor of
    /// -1.
    @discardableResult
    package static func wait(
        _ wanted: [(descriptor: Int32, readiness: Readiness)], milliseconds: Int32
    ) -> [Readiness] {
        var set = wanted.map { pollfd(fd: $0.descriptor, events: $0.readiness.pollEvents, revents: 0) }
        let count = poll(&set, nfds_t(set.count), milliseconds)
        guard count >= 0 else {
            // ENOMEM, or EINVAL if the limit of open files was lowered below the number of descriptors. Callers wait in
            // loops.
            if errno != EINTR { usleep(100_000) }
            return set.map { _ in [] }
        }
        return set.map { Readiness(pollEvents: Int32($0.revents)) }
    }

    /// Converts a duration for poll(2). Rounded up, because an early wake-up would need a second one.
    package static func milliseconds(_ duration: Duration) -> Int32 {
        guard duration > .zero else { return 0 }
        let (seconds, attoseconds) = duration.components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
