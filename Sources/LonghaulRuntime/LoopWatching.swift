import LonghaulCore
import LonghaulStore

/// Snapshots with live figures, and the first answer to a watcher.
extension SessionLoop {
    private static let pageSize = 1_000

    var runningIDs: [TransferID] { Array(live.keys) }

    /// A record as clients see it, with the figures of its running exchange laid over.
    func snapshot(of record: TransferRecord) -> TransferSnapshot {
        var snapshot = TransferSnapshot(record)
        switch record.state {
        case .waiting(let waiting):
            if waiting.reason == .turn { lay(waiting, over: &snapshot) }
        case .running, .awaitingResponse:
            if let transfer = live[record.id] { lay(transfer, over: &snapshot) }
        case .paused, .succeeded, .failed, .cancelled: break
        }
        return snapshot
    }

    /// A record that was just read, or what became of it in memory.
    func currentSnapshot(of record: TransferRecord) -> TransferSnapshot {
        if let transfer = live[record.id] { return snapshot(of: transfer.record) }
        return snapshot(of: record)
    }

    /// Looks at the engine's counters and keeps the rate up to date.
    func liveSnapshot(_ id: TransferID, _ record: TransferRecord?) -> TransferSnapshot? {
        measureRate(id)
        if let transfer = live[id] { return snapshot(of: transfer.record) }
        return record.map(snapshot)
    }

    /// What is under way, as the policy for leaving wants to see it.
    func handoffCandidates() -> [HandoffPolicy.Candidate] {
        live.keys.compactMap { id in
            guard let snapshot = liveSnapshot(id, nil), let machine = live[id]?.machine else { return nil }
            return HandoffPolicy.Candidate(
                id: id, state: snapshot.state, bytesDone: snapshot.bytesDone, bytesTotal: snapshot.bytesTotal,
                rate: snapshot.rate, canResume: machine.canResume, isRepeatable: machine.isSafeToSendAgain)
        }
    }

    private func lay(_ waiting: Waiting, over snapshot: inout TransferSnapshot) {
        snapshot.turnLimit = queue.limit(of: snapshot.id) ?? (slotsWantedAt == nil ? nil : .total)
        guard let until = queue.holdEnd(of: snapshot.id) else { return }
        var waiting = waiting
        waiting.until = until
        snapshot.state = .waiting(waiting)
    }

    private func lay(_ transfer: LiveTransfer, over snapshot: inout TransferSnapshot) {
        snapshot.rate = transfer.rate.bytesPerSecond
        guard let ticket = transfer.ticket,
            let progress = engine?.progress(of: ticket) ?? transfer.lastProgress
        else { return }
        live[transfer.record.id]?.lastProgress = progress
        switch transfer.machine.step {
        case .downloading(let resume):
            // A body that began again from byte 0 counts from there.
            let base = transfer.record.facts.bytesDone < resume?.length ?? 0 ? 0 : resume?.length ?? 0
            snapshot.bytesDone = max(snapshot.bytesDone, base + progress.received)
        case .patching(let offset, _): snapshot.bytesDone = max(snapshot.bytesDone, offset + progress.sent)
        case .sending: snapshot.bytesDone = max(snapshot.bytesDone, progress.sent)
        case .inspecting, .measuring, .placing, .discovering, .creating, .asking, .stopping, nil: break
        }
    }

    private func measureRate(_ id: TransferID) {
        guard let progress = live[id]?.ticket.flatMap({ engine?.progress(of: $0) }) else { return }
        live[id]?.rate.note(progress.sent + progress.received, at: environment.now())
    }

    func watch(
        _ token: WatchToken, _ selection: TransferSelection, _ detail: WatchDetail,
        _ observer: @escaping @Sendable (WatchUpdate) -> Void
    ) throws(TransferFailure) {
        var left = 0
        if case .ids(let ids) = selection {
            left = try tell(ids, detail, observer)
        } else {
            // What is live comes first: a watcher that sees nothing live in the first update knows that nothing is.
            for ended in [false, true] { try tellAll(selection, ended: ended, observer) }
        }
        watchers.add(token, selection, isBrief: detail.isBrief, left: left, observer)
    }

    /// Ends a watch, or somebody's attendance.
    func unwatch(_ token: WatchToken) {
        watchers.remove(token)
        attendance.remove(token, at: environment.now())
        noteAttendance()
    }

    /// Returns how many of them have not ended.
    private func tell(
        _ ids: [TransferID], _ detail: WatchDetail, _ observer: @escaping @Sendable (WatchUpdate) -> Void
    ) throws(TransferFailure) -> Int {
        var update = WatchUpdate(changed: [], removed: [])
        // Somebody may name one twice.
        var left = Set(ids)
        var hasExample = false
        for id in ids {
            // Known without a look at the disk.
            if detail.omitsQueued, queue.isWaiting(id) {
                if hasExample { continue }
                hasExample = true
            }
            if let transfer = try transfer(id) {
                if detail.isBrief, let success = transfer.record.success {
                    update.succeeded.append(success)
                } else {
                    update.changed.append(snapshot(of: transfer.record))
                }
                if transfer.record.state.isEnded { left.remove(id) }
            } else {
                update.removed.append(id)
                left.remove(id)
            }
            guard update.count >= Self.pageSize else { continue }
            let page = update
            answer { observer(page) }
            update = WatchUpdate(changed: [], removed: [])
        }
        update.completesList = true
        let last = update
        answer { observer(last) }
        return left.count
    }

    private func tellAll(
        _ selection: TransferSelection, ended: Bool, _ observer: @escaping @Sendable (WatchUpdate) -> Void
    ) throws(TransferFailure) {
        var query = ListQuery(selection: selection, ended: ended, limit: Self.pageSize)
        var hasMore = true
        repeat {
            let page = try store.page(query)
            let update = WatchUpdate(
                changed: page.records.map(currentSnapshot), removed: [], completesList: ended && !page.hasMore)
            answer { observer(update) }
            query.afterSequence = page.records.last?.sequence ?? 0
            hasMore = page.hasMore
        } while hasMore
    }
}
