/// Events for a transfer after a review by the loop.
extension ConditionPolicy.Verdict {
    /// Returns the event for a transfer; `nil` if the verdict changes nothing.
    package func event(for transfer: TransferMachine) -> TransferEvent? {
        switch self {
        case .allowed:
            guard case .waiting(let waiting) = transfer.record.state, waiting.reason.isCondition else { return nil }
            return .allowed
        case .waiting(let reason, let until):
            // A transfer that cannot resume may survive a short sleep. If it were stopped, it would certainly restart.
            if reason == .sleep, transfer.isHarmedByStopping { return nil }
            return .withheld(reason, until: until)
        }
    }
}

extension TransferEvent {
    /// Returns the event for a transfer whose alarm fired; `nil` if its date has changed since. `starves`: whether no
    /// data was transferred for too long.
    package static func ofAlarm(_ record: TransferRecord, at now: WallTime, starves: () -> Bool) -> TransferEvent? {
        if record.state.isEnded { return .recovered }
        // After the clock was set, the deadline from the wrong clock and the end of the wait pass at the same time.
        if case .waiting(let waiting) = record.state, waiting.reason == .clock, waiting.until ?? now <= now {
            return .due
        }
        if record.facts.deadline <= now { return .deadlinePassed }
        if case .waiting(let waiting) = record.state, let until = waiting.until, until <= now { return .due }
        return starves() ? .starved : nil
    }
}
