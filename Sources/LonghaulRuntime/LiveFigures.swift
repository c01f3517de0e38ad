import LonghaulCore
import LonghaulSystem

/// The engine's counters of bytes moved, and the clock for reading them. A rate needs the time of the reading, which may be long after
/// the turn began.
struct Counters {
    /// `nil` when the session is closed.
    let engine: (any ExchangeEngine)?
    let clock: @Sendable () -> WallTime

    func progress(of ticket: Ticket?) -> ExchangeProgress? { ticket.flatMap { engine?.progress(of: $0) } }

    /// Whether stopping the exchange now leaves it unknown whether the server processed the request.
    func stopLeavesDoubt(_ transfer: LiveTransfer) -> Bool {
        transfer.ticket == nil
            ? transfer.survivorLeavesDoubt : progress(of: transfer.ticket)?.stopLeavesDoubt ?? false
    }

    func moved(by ticket: Ticket) -> Int64? { progress(of: ticket)?.moved }
}

/// Transfers as clients see them: records, updated with the counters of running exchanges.
extension TransferTurns {
    /// Returns the snapshot of a record that was just read, or of its newer version in memory.
    func snapshot(of stored: TransferRecord, _ counters: Counters) -> TransferSnapshot {
        var snapshot = storedSnapshot(of: stored, counters)
        if let refusal { lay(refusal, over: &snapshot, counters) }
        return snapshot
    }

    /// Returns the snapshot even if the store cannot be written.
    private func storedSnapshot(of stored: TransferRecord, _ counters: Counters) -> TransferSnapshot {
        let note = TrapNote(stored.id, .handling)
        defer { note.end() }
        live[stored.id]?.measure(counters)
        let transfer = live[stored.id]
        let record = transfer?.record ?? stored
        var snapshot = TransferSnapshot(record)
        switch record.state {
        case .waiting(let waiting): if waiting.reason == .turn { lay(waiting, over: &snapshot) }
        case .running, .awaitingResponse: transfer?.lay(over: &snapshot)
        case .paused, .succeeded, .failed, .cancelled: break
        }
        return snapshot
    }

    /// Returns the active transfers.
    func running(_ counters: Counters) -> [TransferSnapshot] {
        live.values.map(\.record).map { snapshot(of: $0, counters) }
    }

    /// Returns the active transfers as the handoff policy needs them.
    func handoffCandidates(_ counters: Counters) -> [HandoffPolicy.Candidate] {
        live.values.map(\.machine).sorted { $0.record.id < $1.record.id }.map { machine in
            let snapshot = storedSnapshot(of: machine.record, counters)
            return HandoffPolicy.Candidate(
                id: snapshot.id, state: snapshot.state, bytesDone: snapshot.bytesDone, bytesTotal: snapshot.bytesTotal,
                rate: snapshot.rate, canResume: machine.canResume, isRepeatable: machine.isSafeToSendAgain)
        }
    }

    /// Returns the combined progress of some running transfers.
    func progress(
        of isMeant: (TransferRecord) -> Bool, _ counters: Counters
    ) -> NotificationContent.Progress {
        let meant = live.values.filter { isMeant($0.record) }
        let millionths = meant.map { snapshot(of: $0.record, counters) }.reduce(into: Int64(0)) { sum, now in
            guard let total = now.bytesTotal, total > 0 else { return }
            sum += Int64(Double(min(now.bytesDone, total)) / Double(total) * 1_000_000)
        }
        return NotificationContent.Progress(
            millionths: millionths,
            losesBytesWhenPaused: meant.contains { !$0.machine.canResume && $0.record.facts.bytesTotal ?? 1 > 0 })
    }

    /// Whether no data moved for too long, including counters that the engine has not reported yet.
    func starves(_ transfer: LiveTransfer, at now: WallTime, _ counters: Counters) -> Bool {
        let id = transfer.record.id
        if let progress = counters.progress(of: transfer.ticket) {
            live[id]?.see(progress.moved, at: now - progress.quiet)
        }
        return (live[id] ?? transfer).starvesAt.map { $0 <= now } ?? false
    }

    /// Shows that a transfer waits for the store. An exchange continues until it ends, and most waits last longer anyway.
    private func lay(_ refusal: Waiting, over snapshot: inout TransferSnapshot, _ counters: Counters) {
        switch snapshot.state {
        case .running, .awaitingResponse:
            if counters.progress(of: live[snapshot.id]?.ticket) != nil { return }
        case .waiting(let waiting):
            guard waiting.reason == .turn || waiting.until.map({ $0 <= counters.clock() }) ?? false else { return }
        case .paused, .succeeded, .failed, .cancelled: return
        }
        snapshot.state = .waiting(refusal)
        snapshot.rate = 0
        (snapshot.turnLimit, snapshot.turnLimitCount) = (nil, nil)
    }

    private func lay(_ waiting: Waiting, over snapshot: inout TransferSnapshot) {
        (snapshot.turnLimit, snapshot.turnLimitCount) = queue.limitAndCount(of: snapshot.id)
        if snapshot.turnLimit == nil, slotsWantedAt != nil {
            (snapshot.turnLimit, snapshot.turnLimitCount) = (.total, slotsOfProcess)
        }
        guard queue.hasHolds, let until = queue.holdEnd(of: snapshot.id) else { return }
        var waiting = waiting
        waiting.until = until
        snapshot.state = .waiting(waiting)
    }
}

extension LiveTransfer {
    /// Reads the counters of its exchange and updates the rate.
    fileprivate mutating func measure(_ counters: Counters) {
        guard let progress = counters.progress(of: ticket) else { return }
        lastProgress = progress
        // The first measurement covers the whole step.
        if rate.isNew, let begunAt { rate.update(0, at: begunAt) }
        rate.update(progress.moved, at: counters.clock())
    }

    fileprivate func lay(over snapshot: inout TransferSnapshot) {
        snapshot.rate = rate.bytesPerSecond
        guard ticket != nil, let progress = lastProgress else { return }
        // Older seconds say nothing about a stalled exchange.
        if progress.quiet >= .seconds(5) { snapshot.rate = 0 }
        switch machine.step {
        case .downloading(let resume):
            // A body that restarted from byte 0 counts from there.
            let held = resume?.held ?? 0
            let base = record.facts.bytesDone < held ? 0 : held
            snapshot.bytesDone = max(snapshot.bytesDone, base + progress.received)
            if let response = progress.response {
                snapshot.status = response.status
                // The engine reports a small body only at its end.
                if snapshot.state == .running(.preparing) {
                    snapshot.state = .running(.receiving)
                    if resume == nil { snapshot.bytesTotal = response.length ?? snapshot.bytesTotal }
                }
            }
        case .patching(let offset, _): snapshot.bytesDone = max(snapshot.bytesDone, offset + progress.sent)
        case .sending: snapshot.bytesDone = max(snapshot.bytesDone, progress.sent)
        case .inspecting, .measuring, .checking, .placing, .discovering, .creating, .asking, .stopping, nil: break
        }
    }
}
