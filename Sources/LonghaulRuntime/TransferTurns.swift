import LonghaulCore
import LonghaulStore

/// What follows from the states of a session's transfers: who waits for a turn, who runs, when the loop looks at one by itself, and
/// which of them are in memory.
struct TransferTurns {
    var queue: TurnQueue
    var alarms = TransferAlarms()
    /// Transfers that are under way.
    var live: [TransferID: LiveTransfer] = [:]
    /// Ended ones whose leftovers are being tidied.
    var tidying: [TransferID: LiveTransfer] = [:]
    var newcomers = Newcomers()
    var equals = EqualTransfers()
    var guests = GuestPlaces()

    init(limits: SessionLimits) {
        queue = TurnQueue(limits: limits)
    }

    /// A transfer that is in memory.
    subscript(id: TransferID) -> LiveTransfer? {
        if let transfer = live[id] ?? tidying[id] { return transfer }
        return newcomers[id].map { LiveTransfer($0.record, host: $0.host) }
    }

    /// Those that run, have not moved a byte, and can be stopped without a doubt.
    func idle(_ engine: (any Engine)?) -> [TransferRecord] {
        live.keys.sorted().compactMap { id in
            guard let transfer = live[id], let progress = transfer.ticket.flatMap({ engine?.progress(of: $0) }) else {
                return nil
            }
            return progress.sent + progress.received == 0 && !progress.stopLeavesDoubt ? transfer.record : nil
        }
    }

    /// Lets go of what is in the store as well.
    mutating func releaseMemory() {
        newcomers.removeAll()
        equals = EqualTransfers()
    }

    /// Updates queue, alarms and memory for what a transfer has become. Called with both values exchanged, it undoes itself.
    mutating func settle(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        newcomers.remove(id)
        let moves = before?.lane != after?.lane
        let (holds, wants) = (after?.holdsSlot ?? false, after?.wantsTurn ?? false)
        let wanted = before?.wantsTurn ?? false
        if before?.holdsSlot ?? false, moves || !holds {
            queue.vacate(id)
            guests.noteLeft(id)
        }
        if after?.record.state.isEnded ?? true { guests.forget(id) }
        if wanted, moves || !wants { queue.withdraw(id) }
        if let before, let after, before.record.turnPriority != after.record.turnPriority {
            queue.rerank(entry(of: after))
        }
        if let after {
            // One that another process began holds no slot here yet.
            if holds, moves || !queue.isRunning(id) { queue.occupy(after.queueEntry) }
            if wants, moves || !wanted { queue.add(entry(of: after)) }
        }
        settleHold(id, from: before, to: after)
        // The alarm of a transfer that has ended is that of its cleaning up, which is set when that was tried.
        let isTidying = before?.record.state.isEnded ?? false && !(after?.record.facts.cleanup.isEmpty ?? true)
        if !isTidying { alarms.set(id, at: after?.alarm) }
        Self.keep(id, after, in: &live, if: after?.isUnderWay ?? false)
        Self.keep(id, after, in: &tidying, if: after?.isTidying ?? false)
    }

    /// `settle` for a new transfer that waits for its turn: nearly all that `settle` does cannot concern it.
    mutating func add(_ arrival: StoredTransfer) {
        let record = arrival.record
        queue.add(
            TurnQueue.Entry(
                id: record.id, sequence: record.sequence, priority: record.turnPriority, host: arrival.host,
                group: record.spec.options.group))
        alarms.set(record.id, at: record.facts.deadline)
        newcomers.add(arrival)
    }

    /// Takes in a transfer that an earlier owner left.
    mutating func add(_ entry: QueueEntry) {
        switch entry.kind {
        case .waiting(.turn):
            queue.add(
                TurnQueue.Entry(
                    id: entry.id, sequence: entry.sequence, priority: entry.priority, host: entry.host,
                    group: entry.group))
            alarms.set(entry.id, at: entry.deadline)
        case .waiting(let reason):
            let until = min(entry.until ?? entry.deadline, entry.deadline)
            alarms.set(entry.id, at: until)
            if reason == .serverBusy { queue.hold(host: entry.host, until: until, for: entry.id) }
        case .running, .awaitingResponse: break
        case .paused: alarms.set(entry.id, at: entry.deadline)
        }
    }

    /// Why the session should not be stopped now; `nil` when that costs nothing.
    var refusalToStop: TransferFailure? {
        let harmed = live.values.filter(\.machine.isHarmedByStopping).map(\.record.id)
        guard let first = harmed.min(by: { $0.description < $1.description }) else { return nil }
        let others = harmed.count == 1 ? "" : " and \(harmed.count - 1) more"
        return TransferFailure(
            .invalidState,
            "The transfer \(first)\(others) cannot go on elsewhere from where it is. Wait for its end, or release by force."
        )
    }

    /// Forgets a transfer that was never submitted.
    mutating func forget(_ id: TransferID) {
        queue.withdraw(id)
        newcomers.remove(id)
        alarms.set(id, at: nil)
        live[id] = nil
    }

    /// Lets the hold of a host follow from what has become of a transfer.
    private mutating func settleHold(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        if let before, queue.hasHolds, before.host != after?.host { queue.letGo(id, host: before.host) }
        guard let after else { return }
        switch after.record.state {
        case .waiting(let waiting):
            if waiting.reason == .serverBusy, let until = waiting.until {
                queue.hold(host: after.host, until: until, for: id)
            } else if queue.hasHolds, waiting.reason != .turn {
                // It was sent away before, and its host has not said anything else since.
                queue.endDefiance(id)
            }
        case .running(.preparing), .running(.sending), .awaitingResponse: break
        case .running(.receiving), .running(.verifying):
            if queue.hasHolds { queue.noteAnswer(id, host: after.host) }
        case .succeeded:
            guard queue.hasHolds else { return }
            queue.noteAnswer(id, host: after.host)
            queue.letGo(id, host: after.host)
        case .paused, .failed, .cancelled:
            if queue.hasHolds { queue.letGo(id, host: after.host) }
        }
    }

    private static func keep(
        _ id: TransferID, _ transfer: LiveTransfer?, in memory: inout [TransferID: LiveTransfer], if isWanted: Bool
    ) {
        if isWanted { memory[id] = transfer } else if !memory.isEmpty { memory[id] = nil }
    }
}
