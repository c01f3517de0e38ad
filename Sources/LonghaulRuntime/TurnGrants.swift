import LonghaulCore
import LonghaulStore

/// Gives transfers their turns: by the queue, the slots of the process, the conditions, and the credentials that they need.
struct TurnGrants {
    /// Files that may wait for their final rename.
    private static let placingLimit = 2_000

    let state: SessionState
    let slots: SlotLease

    /// Starts the transfers whose turn it is.
    func grant() throws(TransferFailure) {
        state.turns.slotsWantedAt = nil
        guard !state.turns.isHeld else { return }
        // Returns unused slots first: another session may be next.
        slots.hold(state.turns.queue.runningCount)
        defer { slots.hold(state.turns.queue.runningCount) }
        // Files that wait for their final rename hold no slot; if the disk lags this far behind, no more are fetched.
        while state.turns.live.count - state.turns.queue.runningCount < Self.placingLimit {
            let count = state.turns.queue.runningCount + 1
            let hasSlot = slots.grow(to: count)
            let decision = hasSlot ? state.turns.next(at: state.now, state.counters) : nextBeyondShare(count)
            if case .sendAway(let id)? = decision { try state.feed(id, .withheld(.turn, until: nil)) }
            guard let id = decision?.admitted else { return hasSlot ? () : lackSlots() }
            do throws(TransferFailure) {
                guard let transfer = try state.transfer(id) else {
                    state.turns.queue.passTurnOn()
                    continue
                }
                if try ConditionReview(state: state).withhold(id, transfer) {
                    state.turns.queue.passTurnOn()
                } else {
                    try begin(id, transfer)
                }
            } catch {
                state.turns.queue.takeTurnBack()
                throw error
            }
        }
    }

    /// Applies other limits while the app is about to exit.
    func change(to granting: TurnGranting) throws(TransferFailure) {
        state.turns.isHeld = granting == .held
        state.turns.queue.setLimits(granting.limits(try state.store.limits()))
        let idle = state.turns.idle(state.counters)
        let conditions = state.session.conditions
        for (id, wait) in granting.takenBack(idle, conditions, at: state.now, in: state.environment.zone) {
            try state.feed(id, .withheld(wait.reason, until: wait.until))
        }
        if granting.isBatch { try state.feedAll(waitingFor: .notBefore, .relocated) }
        if state.session.conditions.delegate(to: granting.reach(conditions.reach)) {
            try ConditionReview(state: state).reviewAll()
        }
    }

    /// A transfer that starts beyond limits takes a slot kept for this purpose, not one of the session's share.
    private func nextBeyondShare(_ count: Int) -> OverflowSlots.Decision? {
        guard let standing = state.turns.queue.promptStanding, slots.growBeyondShare(to: count, standing)
        else { return nil }
        return state.turns.queue.nextPrompt().map(OverflowSlots.Decision.admit)
    }

    /// Other sessions of the process do not report returned slots, so this polls for them.
    private func lackSlots() {
        state.turns.slotsOfProcess = slots.roomCount
        if state.turns.queue.waitingCount > 0 {
            state.turns.slotsWantedAt = state.now + .seconds(1)
        } else {
            slots.wantNothing()
        }
    }

    /// Begins an attempt; before the turn's commit, if the turn has not changed the transfer otherwise (`WriteBehind`).
    private func begin(_ id: TransferID, _ transfer: LiveTransfer) throws(TransferFailure) {
        let isAlone = !state.batch.touches(id)
        let count = state.batch.actions.count
        try run(id, transfer)
        guard isAlone, let record = state.turns.live[id]?.record,
            state.behind.beginsEarly(record, state.batch.actions[count...].map(\.1))
        else { return }
        state.batch.release(id, actionsAfter: count)
    }

    /// Runs the transfer, or makes it wait for its missing credential.
    private func run(_ id: TransferID, _ transfer: LiveTransfer) throws(TransferFailure) {
        guard state.session.credentials.lacks(for: transfer.machine, at: state.now) else {
            try state.feed(id, .turnGranted, to: transfer)
            // If the file exists already, nothing runs.
            if !state.turns.queue.isRunning(id) { state.turns.queue.passTurnOn() }
            return
        }
        try state.feed(id, .credentialsMissing, to: transfer)
        state.turns.queue.passTurnOn()
        try NamedCredentials(state: state).consult(id)
    }
}
