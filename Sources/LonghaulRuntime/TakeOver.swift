import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Takes over a session, inside the first turn's transaction. Failing the culprits, applying the owner-loss policy, its report, and the
/// new owner are one commit.
struct TakeOver {
    let state: SessionState
    let slots: SlotLease
    let found: FoundAtOpening

    func run() throws(TransferFailure) {
        for id in found.following {
            guard let record = try state.transfer(id)?.record, let other = record.spec.options.predecessor
            else { continue }
            try state.feed(.followerFound(record, predecessor: try state.transfer(other)?.record))
        }
        try endCulprits()
        let settled = try recordOwner()
        for exchange in found.survivors where exchange.isLost { try state.feed(exchange.id.transfer, .vanished) }
        let others = settled.union(found.survivors.filter { !$0.isLost }.map(\.id.transfer))
        let review = ConditionReview(state: state)
        for id in found.interrupted where !others.contains(id) {
            // The process may have fewer descriptors than the last owner. A transfer without a slot waits for its turn.
            if !slots.grow(to: state.turns.queue.runningCount + 1) { try state.feed(id, .withheld(.turn, until: nil)) }
            try review.recover(id)
        }
        let interrupted = Set(found.interrupted).subtracting(settled)
        for exchange in found.survivors {
            try rejoin(exchange, isInterrupted: interrupted.contains(exchange.id.transfer))
        }
        try review.reviewAll()
        try NamedCredentials(state: state).resumeAsking(found.asking)
    }

    private func endCulprits() throws(TransferFailure) {
        guard !found.culprits.isEmpty else { return }
        try state.beginWriting()
        let layout = state.directory.layout
        let settingAside = Quarantine(store: state.store, layout: layout)
        for culprit in found.culprits {
            if let (before, after) = try settingAside.end(culprit, at: state.now) { try state.follow(before, after) }
        }
        state.answer { [culprits = found.culprits] in Quarantine.forget(culprits, in: layout) }
    }

    /// Returns the transfers that need no further recovery.
    private func recordOwner() throws(TransferFailure) -> Set<TransferID> {
        let former = state.session.ownership.owner
        let environment = state.environment
        // If exchanges outlive the app, its unexpected end is no loss, and is not reported.
        let loss =
            state.engine?.exchanges.traits.outlivesProcess ?? false
            ? nil : state.session.ownership.evaluateLoss(bootID: environment.bootID)
        let owner = SessionOwner(
            kind: environment.ownerKind, processID: Int(ThisProcess.id), bootID: environment.bootID,
            openedAt: state.now)
        try state.feed(.tookOver(owner, loss?.reason))
        guard let loss, let former else { return [] }
        let touched = try apply(loss.policy)
        try state.feed(
            .ownerLost(
                OwnerLossReport(
                    processID: former.processID, openedAt: former.openedAt, noticedAt: state.now, reason: loss.reason,
                    policy: loss.policy, transfers: touched.count)))
        return loss.policy.verb == nil ? [] : touched
    }

    /// Returns the transfers that the policy affected; for `resume`, those that the loss interrupted.
    private func apply(_ policy: OwnerLossPolicy) throws(TransferFailure) -> Set<TransferID> {
        var touched: Set<TransferID> = []
        for id in policy.verb == nil ? found.interrupted : try state.store.ids(.all, ended: false) {
            guard let before = try state.transfer(id)?.record, !before.state.isEnded else { continue }
            if let verb = policy.verb {
                // Refused if stopping could hide that everything was sent: recovery then determines the result.
                guard try state.feed(id, .command(verb)) == nil, try state.transfer(id)?.record != before
                else { continue }
            }
            try registerLoss(id)
            touched.insert(id)
        }
        return touched
    }

    private func registerLoss(_ id: TransferID) throws(TransferFailure) {
        guard let record = try state.transfer(id)?.record else { return }
        try state.store.appendHistory(
            id, at: state.now, event: "ownerLost", detail: "the app that ran it ended unexpectedly",
            bytesDone: record.facts.bytesDone)
    }

    /// Feeds an exchange that outlived its process to its machine. If the machine does not adopt it, it is ended after the commit.
    private func rejoin(_ exchange: SurvivingExchange, isInterrupted: Bool) throws(TransferFailure) {
        let id = exchange.id.transfer
        if !exchange.isLost {
            try state.feed(id, .survived(exchange))
            if let transfer = state.turns.live[id], transfer.machine.step != nil {
                state.turns.live[id]?.survivorLeavesDoubt = exchange.stopLeavesDoubt
                return state.planReview(of: transfer.record)
            }
            if isInterrupted { try ConditionReview(state: state).recover(id) }
        }
        state.answer { [weak state] in state?.engine?.exchanges.drop(exchange.id) }
    }
}

/// Applies the owner-loss policy when the system reports that it ended exchanges together with the app, which happens after the takeover.
struct SystemLoss {
    let state: SessionState

    /// Affects the transfers of earlier owners. Repeating it is harmless: each ended exchange reports the loss.
    func applyPolicy() throws(TransferFailure) {
        let ownership = state.session.ownership
        guard let verb = ownership.policy.verb, let owner = ownership.owner else { return }
        for id in try state.store.ids(.all, ended: false) {
            guard let before = try state.transfer(id)?.record, !before.state.isEnded,
                before.facts.createdAt < owner.openedAt, try state.feed(id, .command(verb)) == nil,
                let after = try state.transfer(id)?.record, after != before
            else { continue }
            try state.store.appendHistory(
                id, at: state.now, event: "ownerLost", detail: "the system ended the app's transfers",
                bytesDone: after.facts.bytesDone)
        }
    }
}

extension Store {
    /// Records an orderly end of the owner. If that fails, the next owner must assume a loss.
    func release(at now: WallTime) {
        do throws(TransferFailure) {
            guard var owner = try owner() else { return }
            owner.endedAt = now
            try begin()
            try setOwner(owner)
            try commit()
        } catch {
            // No transaction may be open when the store is closed; if the rollback fails, there was none.
            try? rollback()
        }
    }
}
