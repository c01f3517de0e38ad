import LonghaulCore

/// Who begins beyond the limits because all that run take long, and who makes room again (`GuestPlaces`).
extension TransferTurns {
    /// When somebody's turn may come by time alone. While nothing begins, only a transfer's own date counts.
    func nextDate() -> WallTime? {
        guard !isHeld else { return alarms.next() }
        let isCrowded = queue.waitingCount > 0 && queue.runningCount > 0
        let dates = [alarms.next(), queue.nextHoldEnd, isCrowded ? guests.reviewAt : nil, slotsWantedAt]
        return dates.compactMap { $0 }.min()
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
        if case .receiving(let head) = event { guests.note(head, of: id) }
        guard case .sharesConnections(let isShared) = event else { return false }
        // Other limits hold then. Known until the session is closed, and no part of any record.
        if let host = live[id]?.host { queue.note(host, sharesConnections: isShared) }
        return true
    }

    func entry(of transfer: LiveTransfer) -> TurnQueue.Entry {
        var entry = transfer.queueEntry
        entry.wasGuest = guests.isFormer(entry.id)
        return entry
    }

    /// Whose turn it is; a guest's when it is nobody else's.
    func next(at now: WallTime, _ counters: Counters) -> GuestPlaces.Decision? {
        queue.next(at: now).map(GuestPlaces.Decision.admit) ?? decideOnGuests(at: now, counters)
    }

    /// What is to be done for those who wait in vain; at most once in five seconds, and when a guest has left.
    private func decideOnGuests(at now: WallTime, _ counters: Counters) -> GuestPlaces.Decision? {
        guard queue.waitingCount > 0, guests.isDue(at: now) else { return nil }
        var crowds: [GuestPlaces.Place: [TransferID]] = [:]
        for (id, transfer) in live where transfer.holdsSlot {
            crowds[.all, default: []].append(id)
            crowds[.host(transfer.host), default: []].append(id)
        }
        guests.see(crowds[.all] ?? [], at: now)
        for (place, ids) in crowds.sorted(by: { $0.key < $1.key }) {
            let crowding = queue.crowding(at: place)
            let next = crowding == .room ? nil : queue.nextGuest(at: place)
            let decision = guests.decide(place, crowding, ids, next: next, at: now) { [live] id in
                live[id]?.canLeave(counters) ?? false
            }
            if case .admit(let id) = decision { queue.admitGuest(id) }
            if let decision { return decision }
        }
        return nil
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
