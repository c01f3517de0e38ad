import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Snapshots with live figures, and the first answer to a watcher.
extension SessionLoop {
    var runningIDs: [TransferID] { Array(turns.live.keys) }

    /// A record as clients see it, with the figures of its running exchange laid over.
    func snapshot(of record: TransferRecord) -> TransferSnapshot {
        let note = TrapNote(record.id, .handling)
        defer { note.end() }
        var snapshot = TransferSnapshot(record)
        switch record.state {
        case .waiting(let waiting):
            if waiting.reason == .turn { lay(waiting, over: &snapshot) }
        case .running, .awaitingResponse:
            if let transfer = turns.live[record.id] { lay(transfer, over: &snapshot) }
        case .paused, .succeeded, .failed, .cancelled: break
        }
        return snapshot
    }

    /// A record that was just read, or what became of it in memory.
    func currentSnapshot(of record: TransferRecord) -> TransferSnapshot {
        measureRate(record.id)
        if let transfer = turns.live[record.id] { return snapshot(of: transfer.record) }
        return snapshot(of: record)
    }

    /// Looks at the engine's counters and keeps the rate up to date.
    func liveSnapshot(_ id: TransferID, _ record: TransferRecord?) -> TransferSnapshot? {
        measureRate(id)
        if let transfer = turns.live[id] { return snapshot(of: transfer.record) }
        return record.map(snapshot)
    }

    /// What is under way, as the policy for leaving wants to see it.
    func handoffCandidates() -> [HandoffPolicy.Candidate] {
        turns.live.keys.sorted().compactMap { id in
            guard let snapshot = liveSnapshot(id, nil), let machine = turns.live[id]?.machine else { return nil }
            return HandoffPolicy.Candidate(
                id: id, state: snapshot.state, bytesDone: snapshot.bytesDone, bytesTotal: snapshot.bytesTotal,
                rate: snapshot.rate, canResume: machine.canResume, isRepeatable: machine.isSafeToSendAgain)
        }
    }

    /// Bytes a second of everything that runs.
    var wholeRate: Int64 {
        runningIDs.reduce(0 as Int64) { sum, id in sum + (liveSnapshot(id, nil)?.rate ?? 0) }
    }

    private func lay(_ waiting: Waiting, over snapshot: inout TransferSnapshot) {
        snapshot.turnLimit = turns.queue.limit(of: snapshot.id) ?? (slotsWantedAt == nil ? nil : .total)
        guard let until = turns.queue.holdEnd(of: snapshot.id) else { return }
        var waiting = waiting
        waiting.until = until
        snapshot.state = .waiting(waiting)
    }

    private func lay(_ transfer: LiveTransfer, over snapshot: inout TransferSnapshot) {
        snapshot.rate = transfer.rate.bytesPerSecond
        guard let ticket = transfer.ticket,
            let progress = engine?.progress(of: ticket) ?? transfer.lastProgress
        else { return }
        turns.live[transfer.record.id]?.lastProgress = progress
        // Of what stands still the seconds before say nothing.
        if progress.quiet >= .seconds(5) { snapshot.rate = 0 }
        switch transfer.machine.step {
        case .downloading(let resume):
            // A body that began again from byte 0 counts from there.
            let held = resume?.held ?? 0
            let base = transfer.record.facts.bytesDone < held ? 0 : held
            snapshot.bytesDone = max(snapshot.bytesDone, base + progress.received)
        case .patching(let offset, _): snapshot.bytesDone = max(snapshot.bytesDone, offset + progress.sent)
        case .sending: snapshot.bytesDone = max(snapshot.bytesDone, progress.sent)
        case .inspecting, .measuring, .checking, .placing, .discovering, .creating, .asking, .stopping, nil: break
        }
    }

    private func measureRate(_ id: TransferID) {
        guard let transfer = turns.live[id], let progress = transfer.ticket.flatMap({ engine?.progress(of: $0) }) else {
            return
        }
        // Whoever only looks once hears of the whole step.
        if transfer.rate.isNew, let begin = transfer.begunAt { turns.live[id]?.rate.note(0, at: begin) }
        turns.live[id]?.rate.note(progress.sent + progress.received, at: environment.now())
    }

    func watch(
        _ token: WatchToken, _ selection: TransferSelection, _ detail: WatchDetail, _ observer: WatchObserver
    ) throws(TransferFailure) {
        var left = 0
        if case .ids(let ids) = selection { left = try countUnended(ids) }
        watchers.add(token, selection, detail, left: left, observer)
    }

    /// Somebody may name one twice.
    private func countUnended(_ ids: [TransferID]) throws(TransferFailure) -> Int {
        var left = 0
        for id in Set(ids) {
            // Known without a look at the disk.
            if turns.queue.isWaiting(id) {
                left += 1
            } else if let transfer = try transfer(id), !transfer.record.state.isEnded {
                left += 1
            }
        }
        return left
    }

    /// Ends a watch, somebody's attendance, or the running of tasks.
    func unwatch(_ token: WatchToken) throws(TransferFailure) {
        watchers.remove(token)
        attendees[token] = nil
        runners[token] = nil
        try feed(.detached(token))
    }
}
