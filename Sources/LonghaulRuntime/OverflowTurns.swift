import LonghaulCore

/// Transfers that start beyond limits, and those that yield their slots again (`OverflowSlots`).
extension TransferTurns {
    /// Returns the next time at which a turn may start. While turns are held, only alarms of transfers count.
    func nextDate() -> WallTime? {
        guard !isHeld else { return alarms.next() }
        let isCrowded = queue.waitingCount > 0 && queue.runningCount > 0 && queue.hasOverflow
        let dates = [alarms.next(), queue.nextHoldEnd, isCrowded ? overflow.reviewAt : nil, slotsWantedAt]
        return dates.compactMap { $0 }.min()
    }

    /// Starts a transfer now, beyond any limit. Returns the entry to undo if the commit fails.
    func start(_ transfer: LiveTransfer) -> TurnQueue.Entry? {
        guard transfer.wantsTurn else { return nil }
        let entry = entry(of: transfer)
        return queue.start(entry) ? entry : nil
    }

    /// Tries a transfer now despite its host's Retry-After. Returns the entry to undo if the commit fails.
    func defyHold(_ transfer: LiveTransfer) -> TurnQueue.Entry? {
        guard queue.hasHolds, case .waiting(let waiting) = transfer.record.state, waiting.reason == .turn else {
            return nil
        }
        let entry = transfer.queueEntry
        return queue.defy(entry) ? entry : nil
    }

    /// Returns the transfers to update when a host's hold begins or ends: the next in line and those watched individually. The
    /// others just show that they wait.
    func shown(with host: String, watchedAlone: some Collection<TransferID>) -> Set<TransferID> {
        Set(queue.firstWaiting(with: host)).union(watchedAlone.filter { queue.isWaiting($0, with: host) })
    }

    /// Notes a response of a server. Returns whether the event needs no other handling.
    func recordResponse(_ event: EngineEvent, of id: TransferID) -> Bool {
        if case .receiving(let head) = event { overflow.recordResponse(head, of: id) }
        guard case .sharesConnections(let isShared) = event else { return false }
        // Other limits apply then. Kept until the session is closed, and not stored in any record.
        if let host = live[id]?.host { queue.update(host, sharesConnections: isShared) }
        return true
    }

    func entry(of transfer: LiveTransfer) -> TurnQueue.Entry {
        var entry = transfer.queueEntry
        if overflow.isFormer(entry.id), !entry.standing.isPrompt { entry.standing = .bulky }
        return entry
    }

    /// Returns the next decision: a turn within the limits, one beyond them, or an overflow turn.
    func next(at now: WallTime, _ counters: Counters) -> OverflowSlots.Decision? {
        (queue.next(at: now) ?? queue.nextPrompt()).map(OverflowSlots.Decision.admit)
            ?? decideOnOverflow(at: now, counters)
    }

    private func decideOnOverflow(at now: WallTime, _ counters: Counters) -> OverflowSlots.Decision? {
        guard queue.waitingCount > 0, queue.hasOverflow, overflow.isDue(at: now) else { return nil }
        let hosts = Set(live.values.lazy.filter(\.holdsSlot).map(\.host)).sorted()
        return overflow.decide(&queue, hosts, at: now) { [live] in live[$0]?.canLeave(counters) ?? false }
    }
}

extension LiveTransfer {
    /// Whether it can resume later, and more than half of it is left: one with less left ends soon.
    fileprivate func canLeave(_ counters: Counters) -> Bool {
        guard record.state == .running(.receiving), case .downloading(let resume) = machine.step, machine.canResume
        else { return false }
        guard let total = record.facts.bytesTotal, let progress = counters.progress(of: ticket) else { return true }
        return (resume?.held ?? 0) + progress.received < total / 2
    }
}
