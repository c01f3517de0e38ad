import LonghaulCore

/// Decides when the service gives back the memory that it only keeps to be quick: once it has worked and is quiet again.
///
/// Whether it works is told by the processor time that it uses, which nothing can forget to note.
package struct IdleMemory {
    /// So long it must be quiet.
    package static let patience = Duration.seconds(5)
    /// Transfers that wait may begin by themselves, and leave something behind again.
    package static let lookInterval = Duration.seconds(300)
    /// What a quiet service uses at the most meanwhile.
    package static let quiet = Duration.milliseconds(25)
    /// Less work than this leaves nothing behind that would be worth it.
    package static let worthwhile = Duration.milliseconds(50)

    private enum Phase {
        /// Nothing is there to be given back. Looked at again then, or when something happens.
        case rests(until: SuspendingClock.Instant?)
        /// It has worked; what it had used when this began, and when it is looked at.
        case calmsDown(from: Duration, until: SuspendingClock.Instant)
    }

    private var phase = Phase.rests(until: nil)
    private var usedAtRelease = Duration.zero

    package init() {}

    /// Says whether memory is to be given back now, and when it wants to be asked again; nil: when something has happened.
    /// `used` is the process's processor time, asked for only when it matters, as is `hasWork`.
    package mutating func look(
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
        let until = hasWork() ? now + Self.lookInterval : nil
        phase = .rests(until: until)
        return (releases, until)
    }

    private mutating func calmDown(from used: Duration, _ now: SuspendingClock.Instant) -> SuspendingClock.Instant {
        phase = .calmsDown(from: used, until: now + Self.patience)
        return now + Self.patience
    }
}
