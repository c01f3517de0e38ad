/// Waiting for conditions: the attempt stops at a safe byte and goes on from there.
extension TransferMachine {
    mutating func withhold(_ reason: Waiting.Reason, until: WallTime?, at moment: Moment) -> [TransferAction] {
        switch record.state {
        case .waiting(let waiting):
            // What it waits for by itself comes first; the conditions are asked again when its turn has come.
            guard waiting.reason == .turn || waiting.reason.isCondition else { return [] }
            let since = waiting.reason == reason ? waiting.since : moment.now
            record.state = .waiting(Waiting(reason, since: since, until: until))
            return []
        case .running(.verifying):
            // All bytes are here: nothing more is moved.
            return []
        case .running where moment.stopLeavesDoubt, .awaitingResponse:
            // The body is out, or may be. Stopping would send it again, or lose the answer.
            return []
        case .running:
            // The attempt is not over: it goes on later and is counted when it does.
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
    /// Whether it has no date before which it must not begin, or a person has said that this does not matter.
    func beginsBy(_ now: WallTime) -> Bool {
        guard let date = spec.options.earliestBeginDate, date > now else { return true }
        return facts.startsAtOnce || facts.ignoresConditions
    }
}
