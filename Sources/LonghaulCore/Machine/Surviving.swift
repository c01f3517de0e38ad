/// Exchanges that outlive the process, and transfers that move to such exchanges.
extension TransferMachine {
    /// Adopts an exchange that continued without the process that started it.
    mutating func rejoin(_ exchange: SurvivingExchange, at moment: Moment) -> [TransferAction] {
        // The exchange writes to an obsolete file, or to another file than requested.
        if case .download = record.spec.work, let path = exchange.partialPath, path != partialPath { return [] }
        switch SurvivorRule.decide(exchange, beside: record, isSafeToSendAgain: isSafeToSendAgain) {
        case .abandon: return []
        case .awaitEnd:
            if case .download = record.spec.work { step = .downloading(exchange.resume) } else { step = .sending }
            return [.adopt(exchange.id)] + stop()
        case .resume:
            record.update(exchange, at: moment.now)
            if case .download = record.spec.work { step = .downloading(exchange.resume) } else { step = .sending }
            return [.adopt(exchange.id)]
        }
    }

    /// Handles a missing exchange that had started. A request that must not be repeated fails; all others are recovered.
    mutating func vanish(at moment: Moment) -> [TransferAction] {
        guard !isSafeToSendAgain, !record.state.isEnded || record.wasGivenUp else { return [] }
        return fail(.outcomeUnknown, at: moment)
    }

    /// Restarts the attempt by other means, which also honor a start time. A body that has been sent stays, and its response is awaited.
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
    /// Whether the transfer consists of several exchanges, and so needs a process for each step.
    var goesInSteps: Bool { if case .upload(.tus) = work { true } else { false } }
}
