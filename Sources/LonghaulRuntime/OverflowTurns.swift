import LonghaulCore

/// Transfers that start beyond limits, and those that make room again (`OverflowSlots`).
extension TransferTurns {
    /// When somebody's turn may come by time alone. While nothing begins, only a transfer's own date counts.
    func nextDate() -> WallTime? {
        guard !isHeld else { return alarms.next() }
        let isCrowded = queue.waitingCount > 0 && queue.runningCount > 0 && queue.hasOverflow
        let dates = [alarms.next(), queue.nextHoldEnd, isCrowded ? overflow.reviewAt : nil, slotsWantedAt]
        return dates.compactMap { $0 }.min()
    }

    /// The user wants it to start now, beyond any limit. Returns what is to be undone if that cannot be kept.
    func start(_ transfer: LiveTransfer) -> TurnQueue.Entry? {
        guard transfer.wantsTurn else { return nil }
        let entry = entry(of: transfer)
        return queue.start(entry) ? entry : nil
    }

    /// A person wants it tried now, whatever its host asked for. Answers what is to be taken back if that cannot be kept.
    func defyHold(_ transfer: LiveTransfer) -> TurnQueue.Entry? {
        guard queue.hasHolds, case .waiting(let waiting) = transfer.record.state, waiting.reason == .turn else {
            return nil
        }
        let entry = transfer.queueEntry
        return queue.defy(entry) ? entry : nil
    }

    /// Those that wait for a host and of which somebody is told when it asks to be left alone: who is next in line, and those that are
    /// watched alone. The others are known to wait.
    func shown(with host: String, watchedAlone: some Collection<TransferID>) -> Set<TransferID> {
        Set(queue.firstWaiting(with: host)).union(watchedAlone.filter { queue.isWaiting($0, with: host) })
    }

    /// What a server's answer tells of it; whether that is all that the event is about.
    func hear(_ event: EngineEvent, of id: TransferID) -> Bool {
        if case .receiving(let head) = event { overflow.note(head, of: id) }
        guard case .sharesConnections(let isShared) = event else { return false }
        // Other limits hold then. Known until the session is closed, and no part of any record.
        if let host = live[id]?.host { queue.note(host, sharesConnections: isShared) }
        return true
    }

    func entry(of transfer: LiveTransfer) -> TurnQueue.Entry {
        var entry = transfer.queueEntry
        if overflow.isFormer(entry.id), !entry.standing.isPrompt { entry.standing = .bulky }
        return entry
    }

    /// The next decision: a turn by the limits, one of those that start beyond them, or an overflow turn.
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
    /// Whether it goes on later from where it is, and has more to fetch than it has fetched: what has less ends soon.
    fileprivate func canLeave(_ counters: Counters) -> Bool {
        guard record.state == .running(.receiving), case .downloading(let resume) = machine.step, machine.canResume
        else { return false }
        guard let total = record.facts.bytesTotal, let progress = counters.progress(of: ticket) else { return true }
        return (resume?.held ?? 0) + progress.received < total / 2
    }
}
