import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// What a loop knows of its session, and how that changes within a turn: a machine is fed, what becomes of it joins the turn's
/// transaction, and what is to be done about it waits in the batch for the commit.
///
/// `SessionLoop` begins and ends the turns. What is asked and what has happened comes through the types beside it, one for each
/// subject (`Submissions`, `Controls`, `ConditionReview`, …): they keep nothing themselves.
final class SessionState {
    let environment: RuntimeEnvironment
    /// Before the directory: whoever gets its lock must not meet a store that is being closed.
    let store: Store
    let directory: SessionDirectory
    var engine: Engine?
    let turns: TransferTurns
    /// What is ahead of the disk.
    var behind = WriteBehind()
    /// What the session knows and decides as a whole.
    var session: SessionMachine
    var audience = Audience()
    var credentials = CredentialDesk()
    /// Exchanges that move bytes, and what they may move.
    var flows: Flows
    /// Commands that take several turns.
    var runs = ControlRuns()
    /// What was deleted and is still in the files.
    var deletions = DeletionClock()
    /// Inputs for the next turn, and those that must not be lost while the store cannot be written.
    var backlog: [LoopInput] = []
    var batch: Batch
    /// The instant at which everything in this turn is decided.
    var now: WallTime

    init(
        _ directory: SessionDirectory, _ store: Store, _ environment: RuntimeEnvironment
    ) throws(TransferFailure) {
        self.directory = directory
        self.store = store
        self.environment = environment
        turns = TransferTurns(limits: try store.limits(), inherited: store.newestSequence)
        let ledger = BudgetLedger(path: directory.layout.budget)
        flows = Flows(Budgets(own: ledger, common: environment.userLedger, zone: environment.zone))
        now = environment.now()
        session = try store.sessionMachine(
            environment.host(of: directory.layout.session), environment.surroundings(), openedAt: now)
        batch = Batch(session)
        credentials.helper = environment.helper(try store.credentialHelper())
    }

    /// A transfer as it is now: in memory, or from the store.
    func transfer(_ id: TransferID) throws(TransferFailure) -> LiveTransfer? {
        if let transfer = turns[id] { return transfer }
        guard let stored = try store.transfer(id) else { return nil }
        return LiveTransfer(behind[id]?.record ?? stored.record, host: stored.host)
    }

    /// Feeds one machine and writes what changed, inside the turn's transaction.
    @discardableResult
    func feed(
        _ id: TransferID, _ event: TransferEvent, to known: LiveTransfer? = nil
    ) throws(TransferFailure) -> TransferFailure? {
        guard var transfer = if let known { known } else { try transfer(id) } else { return nil }
        let trapNote = TrapNote(id, .handling)
        defer { trapNote.end() }
        let before = transfer
        let moment = Moment(
            now: now, random: environment.random(), bootID: environment.bootID,
            stopLeavesDoubt: event.mayStop && counters.stopLeavesDoubt(transfer))
        let reaction = transfer.machine.handle(event, at: moment)
        if transfer.machine.step == nil { (transfer.ticket, transfer.credentialUse) = (nil, nil) }
        if !transfer.record.asksTheSame(as: before.record) {
            transfer.host = LiveTransfer.host(of: transfer.record.spec)
        }
        if transfer.record != before.record { try note(transfer.record, since: before.record) }
        try replace(id, before, by: transfer)
        batch.actions += reaction.actions.map { (id, $0) }
        return reaction.refusal
    }

    /// A date has come for a transfer; which one follows from its record.
    func ring(_ id: TransferID) throws(TransferFailure) {
        guard let transfer = try transfer(id) else { return }
        let note = TrapNote(id, .handling)
        defer { note.end() }
        let event = TransferEvent.ofAlarm(transfer.record, at: now) { turns.starves(transfer, at: now, counters) }
        if let event {
            try feed(id, event)
        } else {
            turns.alarms.set(id, at: turns.live[id]?.alarm ?? transfer.alarm)
        }
    }

    /// Feeds the same to all that wait for this.
    func feedAll(waitingFor reason: Waiting.Reason, _ event: TransferEvent) throws(TransferFailure) {
        for id in try store.ids(waitingFor: reason) { try feed(id, event) }
    }

    /// Adds new transfers, and leaves none.
    func insert(_ arrivals: inout [StoredTransfer]) throws(TransferFailure) {
        guard !arrivals.isEmpty else { return }
        try beginWriting()
        try store.insert(&arrivals)
        for arrival in arrivals {
            batch.inserted.insert(arrival.record.id)
            settle(arrival)
            try follow(nil, arrival.record)
        }
        arrivals = []
    }

    func beginWriting() throws(TransferFailure) {
        guard !batch.isWriting else { return }
        try store.begin()
        batch.isWriting = true
    }

    /// Answers after the commit.
    func answer(_ reply: @escaping () -> Void) {
        batch.replies.append(reply)
    }

    /// When something is due; `nil` when nothing is until something arrives.
    func nextDate() -> WallTime? {
        if !runs.isEmpty || !backlog.isEmpty || audience.isAsking { return now }
        return [
            turns.nextDate(), session.nextDate(at: now), session.nextWake(at: now), session.notifications.nextDate,
            behind.dueAt, session.conditions.reviewAt, flows.traffic.measuredAt, deletions.dueAt,
            audience.watchers.nextTick(isMoving: turns.queue.runningCount > 0, at: now),
        ]
        .compactMap { $0 }.min()
    }

    func takeBacklog() -> [LoopInput] {
        defer { backlog = [] }
        return backlog
    }

    /// The disk took nothing of this turn: everything is as before, and alarms that rang do so again at that date.
    func undo(tryAgainAt date: WallTime) {
        if batch.isWriting {
            // A rollback that fails has nothing left to undo; the next begin says what is wrong.
            try? store.rollback()
        }
        for (id, change) in batch.changes { settle(id, from: change.after, to: change.before) }
        for id in batch.inserted { audience.watchers.note(id, nil, group: nil, wasLive: true) }
        turns.undo(batch, tryAgainAt: date)
        behind.undo(at: now)
        session = batch.before
        // What has begun early goes on, until its hours end.
        for transfer in turns.live.values { planReview(of: transfer.record) }
        batch = Batch(session)
    }

    /// A transfer runs, and may have to end by the clock.
    func planReview(of record: TransferRecord) {
        session.conditions.planReview(ofNew: record.spec.options.conditions, at: now, in: environment.zone)
    }

    /// Takes over whoever watches, what has arrived and what the process knows beyond the store.
    func inherit(from old: SessionState, at now: WallTime) {
        credentials.inherit(from: old.credentials)
        turns.isHeld = old.turns.isHeld
        session.inherit(from: old.session, at: now)
        backlog = old.audience.inputs(old.session.tasks.presentRunners) + old.backlog
    }

    /// Updates turns and watchers for what a transfer has become. Called with both values exchanged, it undoes itself.
    private func settle(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        turns.settle(id, from: before, to: after)
        audience.watchers.note(
            id, after?.record, group: (after ?? before)?.lane.group, before: before?.lane.group,
            wasLive: before.map { !$0.record.state.isEnded } ?? false)
    }

    /// The same for a new transfer; nearly all that it does cannot concern one that waits for its turn.
    private func settle(_ arrival: StoredTransfer) {
        let record = arrival.record
        guard audience.watchers.isEmpty, case .waiting(let waiting) = record.state, waiting.reason == .turn else {
            return settle(record.id, from: nil, to: LiveTransfer(record, host: arrival.host))
        }
        turns.add(arrival)
    }

    private func replace(
        _ id: TransferID, _ before: LiveTransfer, by after: LiveTransfer
    ) throws(TransferFailure) {
        guard after.machine.isReadyToForget else { return try change(id, from: before, to: after) }
        try beginWriting()
        try store.delete(id)
        deletions.note(at: now)
        behind.noteWritten(id, at: now)
        try change(id, from: before, to: nil)
    }

    private func change(
        _ id: TransferID, from before: LiveTransfer, to after: LiveTransfer?
    ) throws(TransferFailure) {
        batch.note(id, from: before, to: after)
        settle(id, from: before, to: after)
        try follow(before.record, after?.record)
    }
}
