/// Decides about an exchange that outlived the process that started it, by the transfer's record.
package enum SurvivorRule {
    package enum Verdict: Equatable, Sendable {
        /// The exchange belongs to the current attempt of the record, or to one that the record lags behind (`TransferRecord.mayLag`).
        case resume
        /// The exchange was being stopped. Its end reports its progress, and whether the request may be repeated.
        case awaitEnd
        /// The exchange is not needed any more.
        case abandon
    }

    package static func decide(
        _ exchange: SurvivingExchange, beside record: TransferRecord, isSafeToSendAgain: Bool
    ) -> Verdict {
        if exchange.isLost { return .abandon }
        // The next step queries the server's offset of such an upload, so the exchange is not needed.
        if case .upload(.tus) = record.spec.work { return .abandon }
        let isOlder = exchange.id.attempt < record.facts.attempts
        switch record.state {
        case .waiting(let waiting) where waiting.reason == .turn: return isOlder ? .abandon : .resume
        case .waiting, .paused:
            // Its progress is kept, and its success counts.
            return isOlder && isSafeToSendAgain ? .abandon : .awaitEnd
        case .running(.preparing), .running(.sending), .running(.receiving), .awaitingResponse:
            return isOlder ? .abandon : .resume
        // The download is complete.
        case .running(.verifying): return .abandon
        case .failed(let failure):
            if case .download = record.spec.work { return .abandon }
            if isOlder || record.facts.cleanup.contains(.record) { return .abandon }
            // A time limit does not reveal whether the server processed the request.
            let isWanted = record.wasGivenUp && !isSafeToSendAgain
            let isTruth = exchange.hasSucceeded && (record.wasGivenUp || failure.code == .outcomeUnknown)
            return isWanted || isTruth ? .awaitEnd : .abandon
        case .succeeded, .cancelled: return .abandon
        }
    }

    /// Returns the failure of an unrepeatable request that ended with an unknown outcome; `nil` if the outcome is known, because the
    /// server stated it or cannot have received the whole request.
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

    /// Returns the progress after the end of an exchange: once the held bytes may be sent, the record counts them.
    static func progress(after outcome: ExchangeOutcome, beside record: TransferRecord) -> Int64 {
        let done = record.facts.bytesDone
        return withheld(by: outcome, beside: record) ? min(done, outcome.bytesSent) : done
    }

    /// Returns whether the engine withheld the rest of a body, so that no server has all of it. An engine that leaves the body to the
    /// system knows it only of a source that failed.
    private static func withheld(by outcome: ExchangeOutcome, beside record: TransferRecord) -> Bool {
        if outcome.withheldBody { return true }
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
    /// Whether a time limit ended the transfer.
    var wasGivenUp: Bool {
        guard case .failed(let failure) = state else { return false }
        return failure.code == .resourceTimeExceeded || failure.code == .noProgress
    }

    /// Updates the record from an exchange that continues.
    mutating func update(_ exchange: SurvivingExchange, at now: WallTime) {
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
