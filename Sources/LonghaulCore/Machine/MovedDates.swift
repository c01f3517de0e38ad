/// A clock that was set: dates that stand for a length keep it in real time, and dates that the user named stay.
struct MovedDates {
    let step: Duration
    /// By the clock after the step.
    let now: WallTime

    /// No action follows.
    func apply(to record: inout TransferRecord) -> [TransferAction] {
        guard !record.state.isEnded else { return [] }
        extendLimits(of: &record)
        guard case .waiting(let waiting) = record.state else { return [] }
        record.state = .waiting(moved(waiting))
        // The time limit begins at the start time.
        if waiting.reason == .notBefore { record.facts.deadline = record.spec.options.deadline(from: now) }
        return []
    }

    /// Moves the limits of time alone: in a time in which no transfer could continue, they rested. No action follows.
    @discardableResult
    func extendLimits(of record: inout TransferRecord) -> [TransferAction] {
        guard !record.state.isEnded else { return [] }
        if let last = record.facts.lastProgressAt { record.facts.lastProgressAt = min(last + step, now) }
        // A date from a clock that was wrong for longer allows at most the whole limit.
        record.facts.deadline = min(record.facts.deadline + step, record.spec.options.deadline(from: now))
        return []
    }

    /// Returns the wait after the step. It never lasts longer than at first.
    private func moved(_ waiting: Waiting) -> Waiting {
        var moved = waiting
        moved.since = min(waiting.since + step, now)
        guard waiting.reason.hasLength else { return moved }
        func end(_ date: WallTime) -> WallTime { min(date + step, now + (date - waiting.since)) }
        moved.until = waiting.until.map(end)
        moved.retryAfter = waiting.retryAfter.map(end)
        return moved
    }
}

extension Waiting.Reason {
    /// Whether the wait has a length, and not an end by the wall clock.
    fileprivate var hasLength: Bool {
        switch self {
        case .retry, .network, .diskSpace, .serverBusy, .mount, .unlock: true
        case .turn, .notBefore, .credentials, .metered, .constrained, .roaming, .power, .battery, .hours, .budget,
            .sleep, .predecessor, .link, .idle, .clock:
            false
        }
    }
}
