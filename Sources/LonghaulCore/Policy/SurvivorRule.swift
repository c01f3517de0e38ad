/// What becomes of an exchange that outlived the process which began it, by the record that is found beside it.
package enum SurvivorRule {
    package enum Verdict: Equatable, Sendable {
        /// It is the attempt that the record means, or one that the record lags behind (`TransferRecord.mayLag`).
        case goOn
        /// It was being stopped, and its end says whether the request may be sent once more.
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
        case .waiting, .paused: return isSafeToSendAgain ? .leave : .hearOut
        case .running(.preparing), .running(.sending), .running(.receiving), .awaitingResponse:
            return isOlder ? .leave : .goOn
        // What it won is here already.
        case .running(.verifying): return .leave
        case .succeeded, .failed, .cancelled: return .leave
        }
    }

    /// Whether the whole body of what must not be repeated left before the word to stop reached it, and nothing was answered that
    /// says what came of it. An engine that holds the last bytes back cannot come to that.
    package static func leavesOutcomeUnknown(_ event: EngineEvent, bodyLength: Int64?) -> Bool {
        guard case .exchangeEnded(let outcome) = event, outcome.requestLeft, outcome.bytesSent >= bodyLength ?? 0 else {
            return false
        }
        guard outcome.ending == .responded, let head = outcome.head else { return true }
        return head.status >= 500 && head.status != 503
    }
}

extension TransferRecord {
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
