import LonghaulCore
import LonghaulStore

/// Commands that change existing transfers: each transfer is fed the same event.
struct Controls {
    /// Transfers handled in one turn.
    private static let share = 1_000

    let state: SessionState

    /// Replies after the last of the transfers.
    func obey(
        _ order: TransferOrder, _ selection: TransferSelection, _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        let (ids, areNamed) =
            switch selection {
            case .ids(let ids): (ids, true)
            case .all, .group: (try state.store.ids(selection, ended: order.appliesToEnded), false)
            }
        var run = ControlRuns.Run(walk: OrderWalk(order, ids, areNamed: areNamed), reply: reply)
        if ids.count > Self.share { state.runs.add(run) } else { try advance(&run) }
    }

    /// Applies a notification's button to the transfers that share the notification.
    func control(_ verb: ControlVerb, _ key: NotificationKey) throws(TransferFailure) {
        if verb == .retry {
            // The user's retry overrides the conditions once.
            var walk = OrderWalk(.adjust(TransferAdjustment(ignoresConditions: true)), [], areNamed: false)
            for record in try transfers(of: key, ended: false) where record.isHeldBack {
                try obey(walk.order, record.id, &walk)
            }
            if walk.answer.changed > 0 { state.reviewAllowances() }
        }
        let ids = try transfers(of: key, ended: verb == .retry ? nil : false).filter { $0.isMeant(by: verb) }.map(\.id)
        state.runs.add(
            ControlRuns.Run(walk: OrderWalk(.control(verb), ids, areNamed: false), reply: { _ in }))
    }

    /// Handles the next share of the oldest command that takes several turns.
    func advanceRuns() throws(TransferFailure) {
        guard var run = state.runs.first else { return }
        try advance(&run)
        state.runs.advanceFirst(to: run)
    }

    private func advance(_ run: inout ControlRuns.Run) throws(TransferFailure) {
        let order = run.walk.order
        for id in run.walk.next(Self.share) { try obey(order, id, &run.walk) }
        if case .adjust = order { state.reviewAllowances() }
        guard run.walk.count == 0 else { return }
        state.answer { [run] in run.reply(.controlled(run.walk.answer)) }
    }

    private func obey(_ order: TransferOrder, _ id: TransferID, _ walk: inout OrderWalk) throws(TransferFailure) {
        guard let before = try state.transfer(id) else { return walk.addRefusal(TransferFailure.unknown(id), of: id) }
        // A retry also requests the credentials again.
        if order.retries { state.session.credentials.reconsider(for: before.machine) }
        let event: TransferEvent
        do throws(TransferFailure) {
            event = try resolved(order, id)
        } catch {
            return walk.addRefusal(error, of: id)
        }
        if let refusal = try state.feed(id, event) { return walk.addRefusal(refusal, of: id) }
        let after = try state.transfer(id)
        if after?.record != before.record { walk.registerChange() }
        guard let after else { return }
        if order.retries {
            if let entry = state.turns.defyHold(after) { state.batch.defiant.append(entry) }
            if case .waiting = before.record.state, after.wantsTurn, walk.takeStart(),
                let entry = state.turns.start(after)
            {
                state.batch.started.append(entry)
                if after.record == before.record { walk.registerChange() }
            }
        } else if case .adjust = order, after.record != before.record {
            state.answer { [weak state] in if let state { FlowControl(state: state).recordOtherLimit(of: id) } }
            try ConditionReview(state: state).review(id)
        }
    }

    /// Looks up the predecessor that a change names: it may have ended, or wait for the transfer itself.
    private func resolved(_ order: TransferOrder, _ id: TransferID) throws(TransferFailure) -> TransferEvent {
        guard case .adjust(let adjustment) = order else { return order.event }
        return .adjusted(
            try adjustment.resolved(for: id) { id throws(TransferFailure) in try state.transfer(id)?.record })
    }

    private func transfers(of key: NotificationKey, ended: Bool?) throws(TransferFailure) -> [TransferRecord] {
        let selection: TransferSelection = if case .group(let name) = key { .group(name) } else { .all }
        var records: [TransferRecord] = []
        for id in try state.store.ids(selection, ended: ended) {
            guard let record = try state.transfer(id)?.record else { continue }
            if state.session.notifications.board.key(of: record) == key { records.append(record) }
        }
        return records
    }
}
