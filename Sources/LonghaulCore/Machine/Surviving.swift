/// Exchanges that outlive the process, and such as move to whoever outlives it.
extension TransferMachine {
    /// The exchange goes on without the process that began it.
    mutating func rejoin(_ exchange: SurvivingExchange, at moment: Moment) -> [TransferAction] {
        // It writes to a file that is not in use any more, or would be asked to write to another one.
        if case .download = record.spec.work, let path = exchange.partialPath, path != partialPath { return [] }
        switch SurvivorRule.decide(exchange, beside: record, isSafeToSendAgain: isSafeToSendAgain) {
        case .leave: return []
        case .hearOut:
            if case .download = record.spec.work { step = .downloading(exchange.resume) } else { step = .sending }
            return [.adopt(exchange.id)] + stop()
        case .goOn:
            record.note(exchange, at: moment.now)
            if case .download = record.spec.work { step = .downloading(exchange.resume) } else { step = .sending }
            return [.adopt(exchange.id)]
        }
    }

    /// It was begun and is nowhere to be found. What must not be repeated ends; everything else is recovered.
    mutating func vanish(at moment: Moment) -> [TransferAction] {
        guard !isSafeToSendAgain, !record.state.isEnded || record.wasGivenUp else { return [] }
        return fail(.outcomeUnknown, at: moment)
    }

    /// The attempt begins again by other means, which also heed a date. A body that is out stays where it is: its answer is waited for.
    mutating func relocate(at moment: Moment) -> [TransferAction] {
        if case .waiting(let waiting) = record.state, waiting.reason == .notBefore, !record.spec.goesInSteps {
            record.state = .waiting(Waiting(.turn, since: moment.now))
        }
        guard case .running(let phase) = record.state, phase != .verifying, !moment.stopLeavesDoubt else { return [] }
        record.facts.attempts = max(0, record.facts.attempts - 1)
        record.state = .waiting(Waiting(.turn, since: moment.now))
        return stop()
    }
}

extension TransferSpec {
    /// Whether one exchange leads to the next: without a process that takes each step, nothing comes of it.
    var goesInSteps: Bool { if case .upload(.tus) = work { true } else { false } }
}
