import LonghaulCore

/// Decides when the service releases cached memory: once it has worked and is quiet again.
///
/// Processor time shows whether it works, which no code can forget to report.
package struct IdleMemory {
    /// The required quiet time.
    package static let patience = Duration.seconds(5)
    /// Waiting transfers may start automatically, and leave cached memory again.
    package static let checkInterval = Duration.seconds(300)
    /// The most processor time of a quiet service during that time.
    package static let quiet = Duration.milliseconds(25)
    /// Less work than this leaves too little memory to release.
    package static let worthwhile = Duration.milliseconds(50)

    private enum Phase {
        /// There is nothing to release. Checked again at that time, or after an event.
        case rests(until: SuspendingClock.Instant?)
        /// It has worked: the processor time at the beginning of this phase, and the time of the next check.
        case calmsDown(from: Duration, until: SuspendingClock.Instant)
    }

    private var phase = Phase.rests(until: nil)
    private var usedAtRelease = Duration.zero

    package init() {}

    /// Returns whether to release memory now, and when to call again; `nil` for the next event. `used` returns the process's
    /// processor time. Both closures are called only if needed.
    package mutating func check(
        used: () -> Duration, hasWork: () -> Bool, now: SuspendingClock.Instant
    ) -> (releases: Bool, again: SuspendingClock.Instant?) {
        if case .calmsDown(_, let until) = phase, now < until { return (false, until) }
        let used = used()
        let releases: Bool
        switch phase {
        case .calmsDown(let before, _):
            releases = used - before < Self.quiet
            guard releases else { return (false, calmDown(from: used, now)) }
            usedAtRelease = used
        case .rests(let until):
            releases = false
            guard used - usedAtRelease < Self.worthwhile else { return (false, calmDown(from: used, now)) }
            if let until, now < until { return (false, until) }
        }
        let until = hasWork() ? now + Self.checkInterval : nil
        phase = .rests(until: until)
        return (releases, until)
    }

    private mutating func calmDown(from used: Duration, _ now: SuspendingClock.Instant) -> SuspendingClock.Instant {
        phase = .calmsDown(from: used, until: now + Self.patience)
        return now + Self.patience
    }
}
