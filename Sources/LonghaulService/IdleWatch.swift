import LonghaulCore

/// Decides when the service has been idle for long enough to leave.
struct IdleWatch {
    enum Verdict: Equatable {
        case leave
        /// Look again then.
        case lookAgain(SuspendingClock.Instant)
        /// Only a change looks again.
        case stay
    }

    private let patience: Duration
    private var idleSince: SuspendingClock.Instant?

    /// 0 seconds never leave.
    init(seconds: Int) {
        patience = .seconds(seconds)
    }

    /// `hasWork` is asked only when it matters. Nothing tells when the last transfer ends, so it is asked now and then.
    mutating func look(clients: Int, hasWork: () -> Bool, now: SuspendingClock.Instant) -> Verdict {
        guard patience > .zero else { return .stay }
        guard clients == 0 else {
            idleSince = nil
            return .stay
        }
        guard !hasWork() else {
            idleSince = nil
            return .lookAgain(now + min(patience, .seconds(60)))
        }
        let since = idleSince ?? now
        idleSince = since
        return now - since >= patience ? .leave : .lookAgain(since + patience)
    }
}
