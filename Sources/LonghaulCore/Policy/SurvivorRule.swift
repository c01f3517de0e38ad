/// What becomes of an exchange that outlived the process which began it, by the record that is found beside it.
package enum SurvivorRule {
    package enum Verdict: Equatable, Sendable {
        /// It is the attempt that the record means, or one that the record lags behind (`TransferRecord.mayLag`).
        case goOn
        /// It was being stopped, and its end says what it has won, and whether the request may be sent once more.
        case hearOut
        /// Nobody wants it any more.
        case leave
    }

    package static func decide(
        _ exchange: SurvivingExchange, beside record: TransferRecord, isSafeToSendAgain: Bool
    ) -> Verdict {
        if exchange.isLost { return .leave }
        // The server of such an upload is asked how much it has, whatever is still under way.
        if case .upload(.tus) = record.spec.work { return .leave }
        let isOlder = exchange.id.attempt < record.facts.attempts
        switch record.state {
        case .waiting(let waiting) where waiting.reason == .turn: return isOlder ? .leave : .goOn
        case .waiting, .paused:
            // What it has won is kept, and its success is one.
            return isOlder && isSafeToSendAgain ? .leave : .hearOut
        case .running(.preparing), .running(.sending), .running(.receiving), .awaitingResponse:
            return isOlder ? .leave : .goOn
        // What it won is here already.
        case .running(.verifying): return .leave
        case .failed(let failure):
            if case .download = record.spec.work { return .leave }
            if isOlder || record.facts.cleanup.contains(.record) { return .leave }
            // A limit of time says nothing of what the server has done.
            let isWanted = record.wasGivenUp && !isSafeToSendAgain
            let isTruth = exchange.hasSucceeded && (record.wasGivenUp || failure.code == .outcomeUnknown)
            return isWanted || isTruth ? .hearOut : .leave
        case .succeeded, .cancelled: return .leave
        }
    }

    /// Why nobody can tell what came of a request that must not be repeated and has ended; `nil` where that is known: the server has said
    /// it, or cannot have got all of it.
    package static func doubt(about outcome: ExchangeOutcome, beside record: TransferRecord) -> TransferFailure? {
        guard !TransferMachine(record).isSafeToSendAgain, !withheld(by: outcome, beside: record) else { return nil }
        if outcome.ending != .responded, record.state == .awaitingResponse, outcome.requestLeft {
            return .outcomeUnknown(after: outcome)
        }
        guard outcome.mayHaveArrived else { return nil }
        if outcome.ending == .responded, let head = outcome.head, head.status < 500 || head.status == 503 { return nil }
        if outcome.bytesSent >= record.facts.bytesTotal ?? 0 { return .outcomeUnknown(after: outcome) }
        if case .failed(let limit) = record.state { return .unseen(limit.message) }
        guard case .broke(let failure) = outcome.ending else { return .unseen("The transfer was stopped.") }
        return .unseen(failure.message)
    }

    /// Whether the engine kept back the rest of a body because its source failed: no server has all of it.
    private static func withheld(by outcome: ExchangeOutcome, beside record: TransferRecord) -> Bool {
        guard case .broke(let failure) = outcome.ending, !outcome.mayHaveArrived else { return false }
        return [.sourceChanged, .sourceMissing, .sourceUnreadable].contains(failure.code)
            && outcome.bytesSent < record.facts.bytesTotal ?? 0
    }
}

extension TransferFailure {
    static func unseen(_ end: String) -> TransferFailure {
        TransferFailure(
            .outcomeUnknown,
            "The system ran the request while Longhaul did not, and may have sent all of it. \(end) "
                + "Check on the server whether it arrived; a retry sends it again.")
    }
}

extension TransferRecord {
    /// Whether a limit of time has ended it.
    var wasGivenUp: Bool {
        guard case .failed(let failure) = state else { return false }
        return failure.code == .resourceTimeExceeded || failure.code == .noProgress
    }

    /// Takes in what is known of an exchange that goes on.
    mutating func note(_ exchange: SurvivingExchange, at now: WallTime) {
        facts.attempts = exchange.id.attempt
        facts.startedAt = facts.startedAt ?? now
        facts.lastProgressAt = nil
        guard case .carried(let isBodySent) = exchange.condition else { return }
        switch spec.work {
        case .download: if state != .running(.receiving) { state = .running(.preparing) }
        case .upload, .request:
            facts.bytesTotal = exchange.bodyLength ?? facts.bytesTotal
            if isBodySent { facts.bytesDone = facts.bytesTotal ?? 0 }
            if state != .awaitingResponse { state = isBodySent ? .awaitingResponse : .running(.sending) }
        }
    }
}
