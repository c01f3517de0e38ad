import LonghaulCore
import LonghaulStore

/// State derived from a session's transfers: the queue, the alarms, and the transfers in memory. A class, because each access to a
/// large struct property of `SessionState` would copy it.
final class TransferTurns {
    var queue: TurnQueue
    var alarms = TransferAlarms()
    /// Active transfers.
    var live: [TransferID: LiveTransfer] = [:]
    /// Ended transfers whose cleanup is in progress.
    var tidying: [TransferID: LiveTransfer] = [:]
    var submissionCache = SubmissionCache()
    var equals = EqualTransfers()
    var overflow = OverflowSlots()
    /// The wait of transfers while the store cannot be written; `nil` while it can.
    var refusal: Waiting?
    /// Whether nothing new starts, because the app is about to exit.
    var isHeld = false
    /// When slots of the process are requested again; `nil` if the session lacks none.
    var slotsWantedAt: WallTime?
    /// The total number of these slots.
    var slotsOfProcess: Int?
    /// The newest transfer that another process may have worked on.
    private let inherited: Int64

    init(limits: SessionLimits, inherited: Int64 = 0) {
        queue = TurnQueue(limits: limits)
        self.inherited = inherited
    }

    /// Returns a transfer that is in memory.
    subscript(id: TransferID) -> LiveTransfer? {
        if let transfer = live[id] ?? tidying[id] { return transfer }
        return submissionCache[id].map { LiveTransfer($0.record, host: $0.host) }
    }

    /// Returns the running transfers that have not moved a byte.
    func idle(_ counters: Counters) -> [TransferRecord] {
        live.keys.sorted().compactMap { id in
            guard let transfer = live[id], let progress = counters.progress(of: transfer.ticket) else { return nil }
            return progress.moved == 0 ? transfer.record : nil
        }
    }

    /// Releases memory for data that is also in the store.
    func releaseMemory() {
        submissionCache.removeAll()
        equals = EqualTransfers()
    }

    /// Updates queue, alarms, and memory for a changed transfer. A call with both values exchanged undoes it.
    func apply(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        submissionCache.remove(id)
        let moves = before?.lane != after?.lane
        let (holds, wants) = (after?.holdsSlot ?? false, after?.wantsTurn ?? false)
        let wanted = before?.wantsTurn ?? false
        if before?.holdsSlot ?? false, moves || !holds {
            queue.vacate(id)
            overflow.recordExit(id)
        }
        if after?.record.state.isEnded ?? true {
            overflow.forget(id)
            queue.forget(id)
        }
        if wanted, moves || !wants { queue.withdraw(id) }
        if let before, let after, before.record.turnPriority != after.record.turnPriority {
            queue.rerank(entry(of: after))
        }
        if let after {
            // A transfer that another process began holds no slot here yet.
            if holds, moves || !queue.isRunning(id) { queue.occupy(after.queueEntry) }
            if wants, moves || !wanted || before?.record.standing != after.record.standing {
                queue.add(entry(of: after))
                overflow.recordArrival()
            }
        }
        applyHold(id, from: before, to: after)
        // An ended transfer's alarm belongs to its cleanup, and is set after an attempt.
        let isTidying = before?.record.state.isEnded ?? false && !(after?.record.facts.cleanup.isEmpty ?? true)
        if !isTidying { alarms.set(id, at: after?.alarm) }
        Self.keep(id, after, in: &live, if: after?.isUnderWay ?? false)
        Self.keep(id, after, in: &tidying, if: after?.isTidying ?? false)
    }

    /// Like `apply`, for a new transfer that waits for its turn, without the steps that cannot concern it.
    func add(_ arrival: StoredTransfer) {
        let record = arrival.record
        queue.add(
            TurnQueue.Entry(
                id: record.id, sequence: record.sequence, priority: record.turnPriority, host: arrival.host,
                group: record.spec.options.groupName, standing: record.standing))
        overflow.recordArrival()
        alarms.set(record.id, at: record.facts.deadline)
        submissionCache.add(arrival)
    }

    /// Adds whether another process can have worked on the transfer, which its machine does not know.
    func informed(_ work: EngineWork, of id: TransferID) -> EngineWork {
        guard case .files(.place(var plan)) = work, let record = live[id]?.record, record.sequence > inherited else {
            return work
        }
        plan.isOwn = true
        return .files(.place(plan))
    }

    /// Notes that the engine begins a step. Returns the ID of its exchange, if it is one.
    func beginStep(_ ticket: Ticket, _ work: EngineWork, of id: TransferID, at now: WallTime) -> ExchangeID? {
        live[id]?.beginStep(ticket, at: now)
        return live[id]?.exchangeName(of: work)
    }

    /// Adds a transfer that an earlier owner left.
    func add(_ entry: QueueEntry) {
        switch entry.kind {
        case .waiting(.turn):
            queue.add(
                TurnQueue.Entry(
                    id: entry.id, sequence: entry.sequence, priority: entry.priority, host: entry.host,
                    group: entry.group, standing: entry.standing))
            alarms.set(entry.id, at: entry.deadline)
        case .waiting(let reason):
            let until = min(entry.until ?? entry.deadline, entry.deadline)
            alarms.set(entry.id, at: until)
            if reason == .serverBusy, let retryAfter = entry.retryAfter {
                queue.hold(host: entry.host, until: retryAfter, for: entry.id)
            }
        case .running, .awaitingResponse: break
        case .paused: alarms.set(entry.id, at: entry.deadline)
        }
    }

    /// Returns the host of a transfer, its limit of connections for the transfer, and how many transfers use it.
    func connections(for id: TransferID) -> (host: String, limit: Int, running: Int)? {
        guard let transfer = live[id] else { return nil }
        return (
            transfer.host, queue.limits.connections(chosen: transfer.record.spec.options.segments),
            queue.runningCount(withHostOf: id)
        )
    }

    /// Transfers that the engine works on.
    var moving: Set<TransferID> { Set(live.values.filter { $0.machine.step?.isMoving ?? false }.map(\.record.id)) }

    /// Moves the dates of active transfers after the clock was set.
    func move(datesBy step: Duration) {
        slotsWantedAt = slotsWantedAt.map { $0 + step }
        for (id, transfer) in live {
            live[id]?.seenAt = transfer.seenAt.map { $0 + step }
            live[id]?.begunAt = transfer.begunAt.map { $0 + step }
        }
    }

    /// Whether a step is still being stopped.
    var isStopping: Bool {
        live.values.contains { if case .stopping = $0.machine.step { true } else { false } }
    }

    /// Why the session should not be stopped now; `nil` if stopping loses nothing.
    var refusalToStop: TransferFailure? {
        let harmed = live.values.filter(\.machine.isHarmedByStopping).map(\.record.id)
        guard let first = harmed.min(by: { $0.description < $1.description }) else { return nil }
        return harmed.count == 1
            ? TransferFailure(
                .invalidState,
                "Another process could not resume the transfer \(first). Wait for its end, or force the release.")
            : TransferFailure(
                .invalidState,
                "Another process could not resume \(harmed.count) transfers, for example \(first). Wait for their end, or force the release."
            )
    }

    /// Restores what a turn changed apart from the states of transfers, which `apply` restores. Alarms that fired do so again.
    func undo(_ batch: Batch, tryAgainAt date: WallTime) {
        for entry in batch.defiant { queue.obey(entry) }
        for entry in batch.started { queue.unstart(entry) }
        for id in batch.inserted { forget(id) }
        equals = EqualTransfers()
        if let limits = batch.oldLimits { queue.setLimits(limits) }
        for id in batch.rung { alarms.set(id, at: date) }
    }

    /// Removes a transfer whose submission was undone.
    private func forget(_ id: TransferID) {
        queue.withdraw(id)
        submissionCache.remove(id)
        alarms.set(id, at: nil)
        live[id] = nil
    }

    /// Updates the hold of a host for a changed transfer.
    private func applyHold(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        if let before, queue.hasHolds, before.host != after?.host { queue.release(id, host: before.host) }
        guard let after else { return }
        switch after.record.state {
        case .waiting(let waiting):
            if waiting.reason == .serverBusy, let retryAfter = waiting.retryAfter {
                queue.hold(host: after.host, until: retryAfter, for: id)
            } else if queue.hasHolds, waiting.reason != .turn {
                // The host rejected it before, and has not responded since.
                queue.endDefiance(id)
            }
        case .running(.preparing), .running(.sending), .awaitingResponse: break
        case .running(.receiving), .running(.verifying):
            if queue.hasHolds { queue.recordAnswer(id, host: after.host) }
        case .succeeded:
            guard queue.hasHolds else { return }
            queue.recordAnswer(id, host: after.host)
            queue.release(id, host: after.host)
        case .paused, .failed, .cancelled:
            if queue.hasHolds { queue.release(id, host: after.host) }
        }
    }

    private static func keep(
        _ id: TransferID, _ transfer: LiveTransfer?, in memory: inout [TransferID: LiveTransfer], if isWanted: Bool
    ) {
        if isWanted { memory[id] = transfer } else if !memory.isEmpty { memory[id] = nil }
    }
}
