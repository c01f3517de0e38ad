import LonghaulCore

/// Commands on many transfers, split over several turns to bound memory and keep the session responsive. Each turn commits its share,
/// and the reply follows the last one. Oldest first.
struct ControlRuns {
    struct Run {
        var walk: OrderWalk
        let reply: @Sendable (SessionReply) -> Void
    }

    /// As of the last commit.
    private var committed: [Run] = []
    /// As of this turn.
    private var current: [Run] = []

    /// Whether no command waits for another turn.
    var isEmpty: Bool { committed.isEmpty }

    var first: Run? { current.first }

    mutating func add(_ run: Run) { current.append(run) }

    /// Updates the first command, or removes it after its last transfer.
    mutating func advanceFirst(to run: Run) {
        if run.walk.count == 0 { current.removeFirst() } else { current[0] = run }
    }

    /// Called after the turn's commit.
    mutating func didCommit() { committed = current }

    /// Refuses all committed commands. Commands of this turn are refused with its other inputs.
    mutating func refuse(_ failure: TransferFailure) {
        let refused = committed
        (committed, current) = ([], [])
        for run in refused { run.reply(.failed(failure)) }
    }
}
