import LonghaulCore
import LonghaulStore

/// Passes each kind of input to the machines.
struct Inputs {
    let state: SessionState
    let jobs: Jobs
    let slots: SlotLease
    /// Whether the store can be written.
    let isWritable: Bool

    func process(_ input: LoopInput) throws(TransferFailure) {
        let credentials = NamedCredentials(state: state)
        switch input {
        case .command(let command, let reply):
            try Commands(state: state, isWritable: isWritable).obey(command, reply)
        case .engine(let ticket, let event): try jobs.process(event, of: ticket)
        case .watch(let token, let selection, let detail, let observer):
            try state.audience.watch(token, selection, detail, .each(observer), state.view)
        case .watchByPulls(let token, let selection, let detail, let signal):
            try state.audience.watch(token, selection, detail, .signalled(signal), state.view)
        case .pull: preconditionFailure("a pull was answered by the turn")
        case .unwatch(let token):
            state.audience.remove(token)
            try state.feed(.detached(token))
        case .attach(let token, let observer):
            state.audience.attach(token, observer)
            try state.feed(.attached(token))
            state.answer { [weak state] in if let state { observer(state.session.events.newest) } }
        case .addRunner(let token, let runner, let observer):
            state.audience.addRunner(token, observer)
            try state.feed(.runnerAdded(token, runner))
        case .wakeEnded(let report): try state.feed(.wakeEnded(report))
        case .notification(let key, let news): try state.feed(.notificationChanged(key, news))
        case .clockChanged:
            try state.feedTasks(.clockChanged) { $0.pending?.request.repeats != nil }
            try state.feed(.clockChanged)
            try state.feedAll(waitingFor: .clock, .clockChanged)
        case .networkReturned: try state.feedAll(waitingFor: .network, .networkReturned)
        case .unlocked: try state.feedAll(waitingFor: .unlock, .allowed)
        case .networkChanged: state.answer { [weak state] in state?.engine?.exchanges.reportNetworkChange() }
        case .surroundings(let surroundings): try state.feed(.surroundingsChanged(surroundings))
        case .whenSettled(let reply): state.answer { [weak state] in state?.audience.waitUntilSettled(reply) }
        case .releaseMemory(let reply): releaseMemory(reply)
        case .credentialMissing(let id): try credentials.miss(id)
        case .budgetUsed(let id): try FlowControl(state: state).withhold(id)
        case .credentialAnswered(let number, let answer): try credentials.receive(answer, to: number)
        case .provider(let token, let source):
            state.credentials.set(source, for: token)
            if source != nil { try credentials.reconsider() }
        case .live(let tell):
            // The caller then reads the records from the disk, which may accept no writes now.
            if isWritable { try state.writeLagging() }
            state.answer { [ids = state.turns.moving] in tell(ids) }
        case .reconcile(let draft, let reply):
            let report = try repair(draft)
            state.answer { reply(.reconciled(report)) }
        case .planHandoff(let grace, let hasService, let reply):
            let candidates = state.turns.handoffCandidates(state.counters)
            let plan = HandoffPolicy.plan(candidates, now: state.now, grace: grace, hasService: hasService)
            state.answer { reply(plan) }
        case .granting(let granting): try TurnGrants(state: state, slots: slots).change(to: granting)
        case .relocate(let ids): for id in ids { try state.feed(id, .relocated) }
        // `LoopThread` decides first whether the loop may end; a release that arrives here found it ending.
        case .release(_, let reply): state.answer { reply(nil) }
        case .rest(let reply): reply(false)
        // If the store lost its name, the damage is in another file: this loop's own file is intact.
        case .damaged(let failure): throw state.store.isInPlace ? failure : storeVanished
        case .stop: break
        }
    }
    private func releaseMemory(_ reply: @escaping @Sendable () -> Void) {
        state.turns.releaseMemory()
        state.answer { [store = state.store] in
            store.releaseMemory()
            reply()
        }
    }

    private func repair(_ draft: ReconcileDraft) throws(TransferFailure) -> ReconcileReport {
        let report = try draft.report { id throws(TransferFailure) in try state.transfer(id)?.machine }
        for finding in report.findings {
            if let id = finding.transfer, let news = finding.news { try state.feed(id, news) }
        }
        return report
    }
}
