import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// How each kind of input meets the machines.
extension SessionLoop {
    /// A server that did not take a cleanup request is asked again after this long.
    private static let cleanupInterval = Duration.seconds(300)

    func take(_ input: LoopInput) throws(TransferFailure) {
        switch input {
        case .command(let command, let reply): try obey(command, reply)
        case .engine(let ticket, let event): try hear(event, of: ticket)
        case .watch(let token, let selection, let detail, let observer):
            try audience.watch(token, selection, detail, .each(observer), view)
        case .watchByPulls(let token, let selection, let detail, let signal):
            try audience.watch(token, selection, detail, .signalled(signal), view)
        case .pull: preconditionFailure("a watcher that asks is answered whatever becomes of the turn")
        case .unwatch(let token): try unwatch(token)
        case .attach(let token, let observer): try attach(token, observer)
        case .addRunner(let token, let runner, let observer):
            audience.addRunner(token, observer)
            try feed(.runnerAdded(token, runner))
        case .wakeEnded(let report): try feed(.wakeEnded(report))
        case .notification(let key, let news): try feed(.notificationChanged(key, news))
        case .clockChanged: try noteClockChange()
        case .networkReturned:
            for id in try store.ids(waitingFor: .network) { try feed(id, .networkReturned) }
        case .surroundings(let surroundings): try feed(.surroundingsChanged(surroundings))
        case .whenSettled(let reply): answer { [weak self] in self?.audience.waitUntilSettled(reply) }
        case .releaseMemory(let reply):
            turns.releaseMemory()
            answer { [store] in
                store.releaseMemory()
                reply()
            }
        case .credentialMissing(let id): try missCredential(id)
        case .budgetUsed(let id): try withholdBudget(id)
        case .credentialAnswered(let number, let answer): try hear(answer, to: number)
        case .provider(let token, let source):
            credentials.set(source, for: token)
            if source != nil { try reconsiderCredentials() }
        case .live(let tell):
            // Whoever asks goes on to read the records from the disk, which may take nothing now.
            if health.refusal == nil { try writeLagging() }
            let ids = turns.moving
            answer { tell(ids) }
        case .reconcile(let draft, let reply): try reconcile(draft, reply)
        case .planHandoff(let grace, let hasService, let reply):
            let candidates = turns.handoffCandidates(counters)
            let plan = HandoffPolicy.plan(candidates, now: now, grace: grace, hasService: hasService)
            answer { reply(plan) }
        case .granting(let granting): try grantTurns(granting)
        case .relocate(let ids): for id in ids { try feed(id, .relocated) }
        // The thread asks first whether the loop may end; one that comes this far found it ending.
        case .release(_, let reply): answer { reply(nil) }
        // What was read along is another file if the store has lost its name; this loop's own file is whole.
        case .damaged(let failure): throw store.isInPlace ? failure : storeVanished
        case .stop: break
        }
    }

    private func grantTurns(_ granting: TurnGranting) throws(TransferFailure) {
        turns.isHeld = granting == .held
        turns.queue.setLimits(granting.limits(try store.limits()))
        for (id, wait) in granting.takenBack(turns.idle(counters), session.conditions, at: now, in: environment.zone) {
            try feed(id, .withheld(wait.reason, until: wait.until))
        }
        if granting.isBatch { for id in try store.ids(waitingFor: .notBefore) { try feed(id, .relocated) } }
        if session.conditions.leave(to: granting.reach(session.conditions.reach)) { try reviewAll() }
    }

    private func hear(_ event: EngineEvent, of ticket: Ticket) throws(TransferFailure) {
        guard let job = jobs[ticket] else { return }
        if event.isEnding { batch.endedJobs.append((ticket, event.bytesMoved)) }
        let note = TrapNote(job.transfer, .handling)
        defer { note.end() }
        switch job {
        case .step(let id) where event == .allowanceUsed: try extendAllowance(ticket, of: id)
        case .step(let id):
            if turns.hear(event, of: id) { return }
            if case .connectionsWanted(let count) = event { return flows.traffic.setWanted(count, of: ticket) }
            let transfer = turns.live[id]
            if case .heads(let text) = event, let record = transfer?.record {
                return behind.tell("heads", text, of: record, at: now)
            }
            try feed(id, .engine(event), to: transfer)
            if let transfer, transfer.record.spec.options.credential != nil {
                try judge(event, of: id, transfer.credentialUse)
            }
        case .cleanup(let id, let task):
            guard event.isEnding else { return }
            let isDone = TransferMachine.isDone(event)
            try feed(id, .cleaned(task, isDone: isDone))
            guard !isDone else { return }
            turns.alarms.set(id, at: now + Self.cleanupInterval)
            turns.tidying[id] = nil
        }
    }

    /// A date has come for a transfer; which one follows from its record.
    func ring(_ id: TransferID, at now: WallTime) throws(TransferFailure) {
        guard let transfer = try transfer(id) else { return }
        let note = TrapNote(id, .handling)
        defer { note.end() }
        if transfer.record.state.isEnded {
            try feed(id, .recovered)
        } else if transfer.record.facts.deadline <= now {
            try feed(id, .deadlinePassed)
        } else if case .waiting(let waiting) = transfer.record.state, let until = waiting.until, until <= now {
            try feed(id, .due)
        } else if turns.starves(transfer, at: now, counters) {
            try feed(id, .starved)
        } else {
            turns.alarms.set(id, at: turns.live[id]?.alarm ?? transfer.alarm)
        }
    }

    /// Performs one action, after the commit.
    func perform(_ action: TransferAction, for id: TransferID) {
        let note = TrapNote(id, .handling)
        defer { note.end() }
        switch action {
        case .start(let wanted):
            guard let work = supplied(turns.informed(wanted, of: id), for: id) else { return }
            let ticket = jobs.begin(.step(id))
            let name = turns.beginStep(ticket, work, of: id, at: now)
            engine?.start(EngineJob(ticket: ticket, work: beginFlow(ticket, of: id, work), exchange: name))
        case .adopt(let exchange):
            let ticket = jobs.begin(.step(id))
            turns.live[id]?.beginStep(ticket, at: now)
            engine?.adopt(exchange, as: ticket)
        case .stop:
            if let ticket = turns.live[id]?.ticket { engine?.cancel(ticket) }
        case .release(let decision):
            if let ticket = turns.live[id]?.ticket { engine?.release(ticket, decision) }
        case .clean(let task):
            guard let transfer = try? transfer(id), let work = transfer.machine.work(for: task) else { return }
            let ticket = jobs.begin(.cleanup(id, task))
            engine?.start(EngineJob(ticket: ticket, work: suppliedIfHeld(work)))
        }
    }
}

extension EngineEvent {
    /// How much an exchange that has ended moved.
    fileprivate var bytesMoved: Int64? {
        if case .exchangeEnded(let outcome) = self { outcome.bytesSent + outcome.bytesReceived } else { nil }
    }
}
