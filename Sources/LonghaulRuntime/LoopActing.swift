import LonghaulCore
import LonghaulStore

/// What a turn begins by itself, and what is done about all it has decided.
extension SessionLoop {
    /// How many files may wait to be placed.
    private static let placingLimit = 2_000
    /// How many events may share a turn. Each of them delays the commit, and with it the answers to clients.
    private static let joiningLimit = 1_024
    private static let fewEvents = 2
    /// With so many exchanges under way the next event is a moment away. A turn waits for it, up to `longestTurn` in all.
    private static let manyRunning = 8
    private static let longestTurn = Duration.milliseconds(25)

    func ringAlarms() throws(TransferFailure) {
        while let id = turns.alarms.popDue(at: now) {
            batch.rung.append(id)
            try ring(id, at: now)
        }
    }

    func grantTurns() throws(TransferFailure) {
        turns.slotsWantedAt = nil
        guard !turns.isHeld else { return }
        // What has ended is given back first: it may be another session's.
        slots.settle(turns.queue.runningCount)
        defer { slots.settle(turns.queue.runningCount) }
        // Files that are being placed hold no slot; when the disk is that far behind, no more are fetched.
        while turns.live.count - turns.queue.runningCount < Self.placingLimit {
            guard slots.grow(to: turns.queue.runningCount + 1) else { return lackSlots(at: now) }
            let decision = turns.next(at: now, counters)
            if case .sendAway(let id)? = decision { try feed(id, .withheld(.turn, until: nil)) }
            guard let id = decision?.admitted else { return }
            do throws(TransferFailure) {
                guard let transfer = try transfer(id) else {
                    turns.queue.passTurnOn()
                    continue
                }
                if try withhold(id, transfer) { turns.queue.passTurnOn() } else { try begin(id, transfer) }
            } catch {
                turns.queue.takeTurnBack()
                throw error
            }
        }
    }

    /// What other sessions of the process give back is not told; it is looked for now and then.
    private func lackSlots(at now: WallTime) {
        if turns.queue.waitingCount > 0 { turns.slotsWantedAt = now + .seconds(1) } else { slots.wantNothing() }
    }

    /// Begins an attempt; before the turn's commit, if nothing else has happened to the transfer (`WriteBehind`).
    private func begin(_ id: TransferID, _ transfer: LiveTransfer) throws(TransferFailure) {
        let isAlone = !batch.touches(id)
        let count = batch.actions.count
        try grant(id, transfer)
        guard isAlone, let record = turns.live[id]?.record,
            behind.beginsEarly(record, batch.actions[count...].map(\.1))
        else { return }
        batch.release(id, actionsAfter: count)
    }

    /// Lets what arrives before the commit share it: a commit costs nearly the same for one change and for hundreds.
    func join(_ inputs: inout [LoopInput], _ more: (Int, _ waits: Bool) -> [LoopInput]) throws(TransferFailure) {
        let begin = environment.now()
        while batch.isWriting, inputs.count < Self.joiningLimit {
            let arrived = more(Self.joiningLimit - inputs.count, mayWait(since: begin))
            if arrived.isEmpty { return }
            inputs += arrived
            try take(arrived)
            try grantTurns()
            performEarly()
        }
    }

    /// Whether a moment more does no harm: nobody waits for this commit, and slots that were freed are taken again already.
    /// Many short exchanges would otherwise wait for a commit of their own each few, longer than they take themselves.
    private func mayWait(since begin: WallTime) -> Bool {
        guard batch.replies.isEmpty, batch.actions.isEmpty, turns.queue.runningCount >= Self.manyRunning else {
            return false
        }
        let now = environment.now()
        return now >= begin && now - begin < Self.longestTurn
    }

    /// Handles what has arrived, and begins what may begin after every few events: while the loop handles the others, the
    /// engine is at work already.
    func take(_ inputs: [LoopInput]) throws(TransferFailure) {
        var heard = 0
        for input in inputs {
            try take(input)
            guard case .engine = input, !isTakingOver else { continue }
            heard += 1
            guard heard % Self.fewEvents == 0 else { continue }
            try grantTurns()
            performEarly()
        }
    }

    func performEarly() {
        perform(behind.takeEarlyActions())
    }

    func finishBatch() {
        guard !isDead else { return }
        var done = batch
        batch = Batch(session)
        // What comes to the new one before the next turn begins belongs to no turn.
        defer {
            done.clear(session)
            batch = done
        }
        runs = done.runs
        for (ticket, moved) in done.endedJobs {
            jobs.end(ticket)
            engine?.noteSettled(ticket)
            endFlow(ticket, moved: moved)
        }
        for reply in done.replies { reply() }
        perform(done.actions)
        balanceFlows()
        audience.tellSettled { turns.isStopping }
        for effect in done.effects where !perform(effect) { return }
    }

    private func perform(_ actions: [(TransferID, TransferAction)]) {
        for (id, action) in actions {
            guard survives(.beforeAction) else { return }
            perform(action, for: id)
            guard survives(.afterAction) else { return }
        }
    }
}
