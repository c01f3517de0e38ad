import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Who runs the session: written down when it is opened and closed, so that the next owner knows how the last one ended.
extension SessionLoop {
    var settingAside: SettingAside { SettingAside(store: store, layout: directory.layout) }

    /// What clients may know of the session as a whole.
    func info() throws(TransferFailure) -> SessionInfo {
        var info = SessionInfo()
        info.owner = try store.owner()
        info.ownerLossPolicy = try store.ownerLossPolicy()
        info.ownerLoss = try store.ownerLoss()
        info.lastWills = session.lastWills.wills.count
        return info
    }

    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) throws(TransferFailure) -> SessionInfo {
        try beginWriting()
        try store.setOwnerLossPolicy(policy)
        return try info()
    }

    func acknowledgeOwnerLoss() throws(TransferFailure) -> SessionInfo {
        if try store.ownerLoss() != nil {
            try beginWriting()
            try store.setOwnerLoss(nil)
        }
        return try info()
    }

    /// Takes the session over, inside the first turn's transaction: what is set aside, what is done about a lost owner, its
    /// report, and that it is over are one commit.
    func takeOver(_ found: FoundAtOpening) throws(TransferFailure) {
        for id in found.following {
            guard let record = try transfer(id)?.record, let other = record.spec.options.predecessor else { continue }
            try feed(.followerFound(record, predecessor: try transfer(other)?.record))
        }
        try end(found.culprits)
        let settled = try noteOwner(found.interrupted)
        for exchange in found.survivors where exchange.isLost { try feed(exchange.id.transfer, .vanished) }
        let others = settled.union(found.survivors.filter { !$0.isLost }.map(\.id.transfer))
        for id in found.interrupted where !others.contains(id) { try recover(id) }
        try rejoin(found.survivors, interrupted: Set(found.interrupted).subtracting(settled))
        try reviewAll()
        try resumeAsking(found.asking)
    }

    private func end(_ culprits: [TrapEntry]) throws(TransferFailure) {
        guard !culprits.isEmpty else { return }
        try beginWriting()
        for culprit in culprits {
            if let (before, after) = try settingAside.end(culprit, at: now) { try follow(before, after) }
        }
        answer { [layout = directory.layout] in SettingAside.forget(culprits, in: layout) }
    }

    /// Answers the transfers that need no recovery any more.
    private func noteOwner(_ interrupted: [TransferID]) throws(TransferFailure) -> Set<TransferID> {
        let former = try store.owner()
        // Where exchanges outlive the app, that it ended without a word is no loss and no news.
        let loss =
            engine?.traits.outlivesProcess ?? false
            ? nil : OwnerLossRule.judge(former, policy: try store.ownerLossPolicy(), bootID: environment.bootID)
        try beginWriting()
        try feed(.tookOver(from: former?.kind, loss?.reason))
        var settled: Set<TransferID> = []
        if let loss, let former {
            let affected = try apply(loss.policy, interrupted, &settled)
            try store.setOwnerLoss(
                OwnerLossReport(
                    processID: former.processID, openedAt: former.openedAt, noticedAt: now, reason: loss.reason,
                    policy: loss.policy, transfers: affected))
        }
        try store.setOwner(
            SessionOwner(
                kind: environment.ownerKind, processID: Int(ThisProcess.id), bootID: environment.bootID, openedAt: now))
        return settled
    }

    /// How many transfers the policy touched; for `goOn`, how many the loss interrupted.
    private func apply(
        _ policy: OwnerLossPolicy, _ interrupted: [TransferID], _ settled: inout Set<TransferID>
    ) throws(TransferFailure) -> Int {
        let verb: ControlVerb
        switch policy {
        case .goOn:
            var count = 0
            for id in interrupted where try transfer(id)?.record.state.isEnded == false {
                try noteLoss(id)
                count += 1
            }
            return count
        case .pause: verb = .pause
        case .cancel: verb = .cancel
        }
        for id in try store.ids(.all, ended: false) {
            guard let before = try transfer(id)?.record else { continue }
            // Refused where stopping could hide that everything was sent: recovery says what is known of it.
            guard try feed(id, .command(verb)) == nil, try transfer(id)?.record != before else { continue }
            try noteLoss(id)
            settled.insert(id)
        }
        return settled.count
    }

    private func noteLoss(_ id: TransferID) throws(TransferFailure) {
        guard let record = try transfer(id)?.record else { return }
        try store.appendHistory(
            id, at: now, event: "ownerLost", detail: "the app that ran it ended without a word",
            bytesDone: record.facts.bytesDone)
    }
}

extension Store {
    /// The last commit of an owner that leaves by itself. When the disk does not take it, the next owner has to assume a loss.
    func letGo(at now: WallTime) {
        do throws(TransferFailure) {
            guard var owner = try owner() else { return }
            owner.endedAt = now
            try begin()
            try setOwner(owner)
            try commit()
        } catch {
            // Nothing may be left open when the store is closed; a rollback that fails has nothing to undo.
            try? rollback()
        }
    }
}
