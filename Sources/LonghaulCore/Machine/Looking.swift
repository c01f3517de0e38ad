/// What a transfer is told when the loop has looked at it.
extension ConditionPolicy.Verdict {
    /// What it means for a transfer; `nil` when it changes nothing for that.
    package func event(for transfer: TransferMachine) -> TransferEvent? {
        switch self {
        case .allowed:
            guard case .waiting(let waiting) = transfer.record.state, waiting.reason.isCondition else { return nil }
            return .allowed
        case .waiting(let reason, let until):
            // What cannot go on from where it is may outlast a short sleep; stopped, it certainly begins anew.
            if reason == .sleep, transfer.isHarmedByStopping { return nil }
            return .withheld(reason, until: until)
        }
    }
}

extension TransferEvent {
    /// What a date that has come means for this transfer; `nil` when its date is another one by now. `starves`: whether no data
    /// moved for too long.
    package static func ofAlarm(_ record: TransferRecord, at now: WallTime, starves: () -> Bool) -> TransferEvent? {
        if record.state.isEnded { return .recovered }
        // When the clock is set, the deadline, which the wrong clock gave, and the end of the wait pass at once.
        if case .waiting(let waiting) = record.state, waiting.reason == .clock, waiting.until ?? now <= now {
            return .due
        }
        if record.facts.deadline <= now { return .deadlinePassed }
        if case .waiting(let waiting) = record.state, let until = waiting.until, until <= now { return .due }
        return starves() ? .starved : nil
    }
}
