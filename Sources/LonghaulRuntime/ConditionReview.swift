import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Applies the conditions, allowed hours, and budget to transfers, before a turn is granted and whenever one of them changes.
struct ConditionReview {
    let state: SessionState

    /// Feeds `withheld` to a transfer whose turn has come but that must not run. Returns whether it did.
    func withhold(_ id: TransferID, _ transfer: LiveTransfer) throws(TransferFailure) -> Bool {
        guard case .waiting(let reason, let until) = verdict(transfer) else { return false }
        try state.feed(id, .withheld(reason, until: until), to: transfer)
        return true
    }

    /// Recovers a transfer that ran when its last owner ended. It stays idle if its conditions forbid transfers now.
    func recover(_ id: TransferID) throws(TransferFailure) {
        if let transfer = try state.transfer(id), !transfer.record.state.isEnded { _ = try withhold(id, transfer) }
        try state.feed(id, .recovered)
    }

    /// Reviews every transfer that runs or waits for a condition.
    func reviewAll() throws(TransferFailure) {
        for id in state.turns.live.keys.sorted() { try review(id) }
        for reason in Waiting.Reason.conditions {
            for id in try state.store.ids(waitingFor: reason) where state.turns.live[id] == nil { try review(id) }
        }
        if state.session.conditions.surroundings.conditions.network != .captive {
            for id in try state.store.ids(waitingFor: .network) {
                // Transfers blocked by a captive portal have no retry time.
                guard try state.transfer(id)?.record.waitsWithoutDate ?? false else { continue }
                try state.feed(id, .networkReturned)
            }
        }
        let running = state.turns.live.values.map(\.record.spec.options.conditions)
        state.session.conditions.planReview(of: running, at: state.now, in: state.environment.zone)
        state.reviewAllowances()
    }

    func reviewIfDue() throws(TransferFailure) {
        if let date = state.session.conditions.reviewAt, date <= state.now { try reviewAll() }
    }

    func review(_ id: TransferID) throws(TransferFailure) {
        guard let transfer = try state.transfer(id) else { return }
        if let event = verdict(transfer).event(for: transfer.machine) { try state.feed(id, event) }
    }

    /// Returns whether a transfer may run now.
    private func verdict(_ transfer: LiveTransfer) -> ConditionPolicy.Verdict {
        let note = TrapNote(transfer.record.id, .handling)
        defer { note.end() }
        return state.session.conditions.verdict(
            of: transfer.record, isBegun: transfer.machine.step != nil, at: state.now, in: state.environment.zone
        ) { state.budgetEnd }
    }
}

extension TransferRecord {
    fileprivate var waitsWithoutDate: Bool {
        if case .waiting(let waiting) = state { waiting.until == nil } else { false }
    }
}
