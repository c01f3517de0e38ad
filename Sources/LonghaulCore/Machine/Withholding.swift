/// Waiting for conditions: the attempt stops at a synced offset and resumes there.
extension TransferMachine {
    mutating func withhold(_ reason: Waiting.Reason, until: WallTime?, at moment: Moment) -> [TransferAction] {
        switch record.state {
        case .waiting(let waiting):
            // Other reasons to wait come first. The conditions are checked again when the transfer's turn comes.
            guard waiting.reason == .turn || waiting.reason.isCondition else { return [] }
            let since = waiting.reason == reason ? waiting.since : moment.now
            record.state = .waiting(Waiting(reason, since: since, until: until))
            return []
        case .running(.verifying):
            // The download is complete: nothing more is transferred.
            return []
        case .running where moment.stopLeavesDoubt, .awaitingResponse:
            // The body has been sent, or may have been. Stopping would send it again, or lose the response.
            return []
        case .running:
            // The attempt has not ended: it continues later, and counts then.
            record.facts.attempts = max(0, record.facts.attempts - 1)
            record.state = .waiting(Waiting(reason, since: moment.now, until: until))
            return stop()
        case .paused, .succeeded, .failed, .cancelled:
            return []
        }
    }

    mutating func adjust(_ adjustment: TransferAdjustment, at moment: Moment) -> Reaction {
        let before = record
        if let refusal = adjustment.apply(to: &record, at: moment.now) { return Reaction(refusal: refusal) }
        if adjustment.retries {
            let reaction = obey(.retry, at: moment)
            if reaction.refusal != nil { record = before }
            return reaction
        }
        guard case .waiting(let waiting) = record.state else { return Reaction() }
        let isDue = record.beginsBy(moment.now)
        let isMoved =
            waiting.reason == .notBefore && (isDue || waiting.until != record.spec.options.earliestBeginDate)
            || waiting.reason == .turn && !isDue
            || (waiting.reason == .predecessor) != (record.spec.options.predecessor != nil)
        return Reaction(isMoved ? waitForTurn(at: moment) : [])
    }
}

extension TransferRecord {
    /// Returns whether the transfer may start by now: it has no later start time, or the user chose to ignore it.
    func beginsBy(_ now: WallTime) -> Bool {
        guard let date = spec.options.earliestBeginDate, date > now else { return true }
        return facts.startsAtOnce || facts.ignoresConditions
    }
}
