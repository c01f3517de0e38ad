import LonghaulCore

/// Decides when the service has been idle long enough to exit.
struct IdleWatch {
    enum Verdict: Equatable {
        case exit
        /// Call again at that time.
        case checkAgain(SuspendingClock.Instant)
        /// Call again after a change.
        case stay
    }

    private let patience: Duration
    private var idleSince: SuspendingClock.Instant?

    /// With 0 seconds it never exits.
    init(seconds: Int) {
        patience = .seconds(seconds)
    }

    /// `hasWork` is called only if needed. The end of the last transfer causes no event, so this polls.
    mutating func check(clients: Int, hasWork: () -> Bool, now: SuspendingClock.Instant) -> Verdict {
        guard patience > .zero else { return .stay }
        guard clients == 0 else {
            idleSince = nil
            return .stay
        }
        guard !hasWork() else {
            idleSince = nil
            return .checkAgain(now + min(patience, .seconds(60)))
        }
        let since = idleSince ?? now
        idleSince = since
        return now - since >= patience ? .exit : .checkAgain(since + patience)
    }
}
