import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Where the conditions, the hours and the budget meet the transfers: before a turn is granted, and whenever one of them
/// changes.
extension SessionLoop {
    /// Whether a transfer may move bytes now.
    func verdict(_ transfer: LiveTransfer) -> ConditionPolicy.Verdict {
        let note = TrapNote(transfer.record.id, .handling)
        defer { note.end() }
        return session.conditions.verdict(
            of: transfer.record, isBegun: transfer.machine.step != nil, at: now, in: environment.zone
        ) { budgetEnd }
    }

    /// Feeds `withheld` to a transfer whose turn has come and that must not run; whether it was.
    func withhold(_ id: TransferID) throws(TransferFailure) -> Bool {
        guard let transfer = try transfer(id) else { return false }
        return try withhold(id, transfer)
    }

    func withhold(_ id: TransferID, _ transfer: LiveTransfer) throws(TransferFailure) -> Bool {
        guard case .waiting(let reason, let until) = verdict(transfer) else { return false }
        try feed(id, .withheld(reason, until: until), to: transfer)
        return true
    }

    /// A transfer that ran when its last owner ended. What must not move bytes does not begin to.
    func recover(_ id: TransferID) throws(TransferFailure) {
        if let transfer = try transfer(id), !transfer.record.state.isEnded { _ = try withhold(id) }
        try feed(id, .recovered)
    }

    /// Looks at every transfer that runs or that waits for a condition.
    func reviewAll() throws(TransferFailure) {
        for id in turns.live.keys.sorted() { try review(id) }
        for reason in Waiting.Reason.conditions {
            for id in try store.ids(waitingFor: reason) where turns.live[id] == nil { try review(id) }
        }
        if session.conditions.surroundings.conditions.network != .captive {
            // Those that were kept by a portal have no date of their own.
            for id in try store.ids(waitingFor: .network) {
                guard let record = try transfer(id)?.record, case .waiting(let waiting) = record.state,
                    waiting.until == nil
                else { continue }
                try feed(id, .networkReturned)
            }
        }
        let running = turns.live.values.map(\.record.spec.options.conditions)
        session.conditions.planReview(of: running, at: now, in: environment.zone)
        reviewAllowances()
    }

    func reviewIfDue() throws(TransferFailure) {
        if let date = session.conditions.reviewAt, date <= now { try reviewAll() }
    }

    /// A transfer has begun, and may have to end by the clock.
    func planReview(of record: TransferRecord) {
        session.conditions.planReview(ofNew: record.spec.options.conditions, at: now, in: environment.zone)
    }

    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection
    ) throws(TransferFailure) -> ControlAnswer {
        var answer = ControlAnswer(changed: 0)
        var ids: [TransferID]
        if case .ids(let named) = selection { ids = named } else { ids = try store.ids(selection, ended: false) }
        for id in ids {
            guard let before = try transfer(id) else {
                answer.refusals.append(.init(id: id, failure: TransferFailure.unknown(id)))
                continue
            }
            if let refusal = try feed(id, .adjusted(adjustment)) {
                answer.refusals.append(.init(id: id, failure: refusal))
            } else if try transfer(id)?.record != before.record {
                answer.changed += 1
                self.answer { [weak self] in self?.noteOtherLimit(of: id) }
                try review(id)
            }
        }
        reviewAllowances()
        return answer
    }

    func rulesReport() -> SessionRulesReport {
        SessionRulesReport(
            rules: session.conditions.rules, usage: flows.budgets.own.usage(at: now, in: environment.zone))
    }

    private func review(_ id: TransferID) throws(TransferFailure) {
        guard let transfer = try transfer(id) else { return }
        switch verdict(transfer) {
        case .allowed:
            if case .waiting(let waiting) = transfer.record.state, waiting.reason.isCondition {
                try feed(id, .allowed)
            }
        case .waiting(let reason, let until):
            // What cannot go on from where it is may outlast a short sleep; stopped, it certainly begins anew.
            if reason == .sleep, transfer.machine.isHarmedByStopping { return }
            try feed(id, .withheld(reason, until: until))
        }
    }
}
