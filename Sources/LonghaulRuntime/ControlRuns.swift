import LonghaulCore

/// Commands that mean many transfers take several turns, so that neither memory nor the session's other work suffers from
/// their number: each turn's share is committed with it, and the answer comes after the last one. Oldest first.
struct ControlRuns {
    struct Run {
        var walk: OrderWalk
        let reply: @Sendable (SessionReply) -> Void
    }

    /// As the last commit left them.
    private var committed: [Run] = []
    /// As this turn leaves them.
    private var current: [Run] = []

    /// Whether nobody waits for another turn.
    var isEmpty: Bool { committed.isEmpty }

    var first: Run? { current.first }

    mutating func add(_ run: Run) { current.append(run) }

    /// The first one has come further, or to its end.
    mutating func advanceFirst(to run: Run) {
        if run.walk.count == 0 { current.removeFirst() } else { current[0] = run }
    }

    /// The turn has been committed.
    mutating func settle() { committed = current }

    /// All are given up. Those that began in this turn are told with what else it was to do.
    mutating func refuse(_ failure: TransferFailure) {
        let refused = committed
        (committed, current) = ([], [])
        for run in refused { run.reply(.failed(failure)) }
    }
}
