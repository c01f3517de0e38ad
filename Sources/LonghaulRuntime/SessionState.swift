import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// A loop's state of its session, and how it changes within a turn: events are fed to machines, their records join the turn's
/// transaction, and their actions wait in the batch for the commit.
///
/// `SessionLoop` begins and ends the turns. Commands and events come through one type for each subject (`Submissions`, `Controls`,
/// `ConditionReview`, …), which is stateless.
final class SessionState {
    let environment: RuntimeEnvironment
    /// Declared before the directory, so that it is closed before the lock is released.
    let store: Store
    let directory: SessionDirectory
    var engine: Engine?
    let turns: TransferTurns
    /// Records and actions ahead of the disk.
    var behind = WriteBehind()
    /// The state of the session as a whole.
    var session: SessionMachine
    var audience = Audience()
    var credentials = CredentialResolver()
    /// Exchanges that transfer bytes, and their allowances.
    var flows: Flows
    /// Commands that take several turns.
    var runs = ControlRuns()
    /// Deleted data that is still in the store's files.
    var deletions = DeletionClock()
    /// Inputs for the next turn, and those kept while the store cannot be written.
    var backlog: [LoopInput] = []
    var batch: Batch
    /// The time for all decisions of this turn.
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

    /// Returns the current state of a transfer, from memory or from the store.
    func transfer(_ id: TransferID) throws(TransferFailure) -> LiveTransfer? {
        if let transfer = turns[id] { return transfer }
        guard let stored = try store.transfer(id) else { return nil }
        return LiveTransfer(behind[id]?.record ?? stored.record, host: stored.host)
    }

    /// Feeds one machine and writes its changes, inside the turn's transaction.
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
        if !transfer.record.isSameQuery(as: before.record) {
            transfer.host = LiveTransfer.host(of: transfer.record.spec)
        }
        if transfer.record != before.record { try recordChange(transfer.record, since: before.record) }
        try replace(id, before, by: transfer)
        batch.actions += reaction.actions.map { (id, $0) }
        return reaction.refusal
    }

    /// Handles the alarm of a transfer; its record determines the event.
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

    /// Feeds an event to all transfers that wait for this reason.
    func feedAll(waitingFor reason: Waiting.Reason, _ event: TransferEvent) throws(TransferFailure) {
        for id in try store.ids(waitingFor: reason) { try feed(id, event) }
    }

    /// Adds new transfers, and empties the array.
    func insert(_ arrivals: inout [StoredTransfer]) throws(TransferFailure) {
        guard !arrivals.isEmpty else { return }
        try beginWriting()
        try store.insert(&arrivals)
        for arrival in arrivals {
            batch.inserted.insert(arrival.record.id)
            apply(arrival)
            try follow(nil, arrival.record)
        }
        arrivals = []
    }

    func beginWriting() throws(TransferFailure) {
        guard !batch.isWriting else { return }
        try store.begin()
        batch.isWriting = true
    }

    /// Sends a reply after the commit.
    func answer(_ reply: @escaping () -> Void) {
        batch.replies.append(reply)
    }

    /// Returns when the next work is due; `nil` if there is none without new input.
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

    /// Undoes the turn, because the commit failed. Alarms that fired do so again at that time.
    func undo(tryAgainAt date: WallTime) {
        if batch.isWriting {
            // If the rollback fails, nothing is left to undo, and the next transaction reports the error.
            try? store.rollback()
        }
        for (id, change) in batch.changes { apply(id, from: change.after, to: change.before) }
        for id in batch.inserted { audience.watchers.record(id, nil, group: nil, wasLive: true) }
        turns.undo(batch, tryAgainAt: date)
        behind.undo(at: now)
        session = batch.before
        // Transfers that began early continue, until their allowed hours end.
        for transfer in turns.live.values { planReview(of: transfer.record) }
        batch = Batch(session)
    }

    /// Plans the review of a running transfer, which the clock may end.
    func planReview(of record: TransferRecord) {
        session.conditions.planReview(ofNew: record.spec.options.conditions, at: now, in: environment.zone)
    }

    /// Takes over the watchers, the pending inputs, and the state that is not in the store.
    func inherit(from old: SessionState, at now: WallTime) {
        credentials.inherit(from: old.credentials)
        turns.isHeld = old.turns.isHeld
        session.inherit(from: old.session, at: now)
        backlog = old.audience.inputs(old.session.tasks.presentRunners) + old.backlog
    }

    /// Updates turns and watchers for a changed transfer. A call with both values exchanged undoes it.
    private func apply(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        turns.apply(id, from: before, to: after)
        audience.watchers.record(
            id, after?.record, group: (after ?? before)?.lane.group, before: before?.lane.group,
            wasLive: before.map { !$0.record.state.isEnded } ?? false)
    }

    /// Does the same for a new transfer, without the steps that cannot concern one that waits for its turn.
    private func apply(_ arrival: StoredTransfer) {
        let record = arrival.record
        guard audience.watchers.isEmpty, case .waiting(let waiting) = record.state, waiting.reason == .turn else {
            return apply(record.id, from: nil, to: LiveTransfer(record, host: arrival.host))
        }
        turns.add(arrival)
    }

    private func replace(
        _ id: TransferID, _ before: LiveTransfer, by after: LiveTransfer
    ) throws(TransferFailure) {
        guard after.machine.isReadyToForget else { return try change(id, from: before, to: after) }
        try beginWriting()
        try store.delete(id)
        deletions.recordDeletion(at: now)
        behind.recordWritten(id, at: now)
        try change(id, from: before, to: nil)
    }

    private func change(
        _ id: TransferID, from before: LiveTransfer, to after: LiveTransfer?
    ) throws(TransferFailure) {
        batch.record(id, from: before, to: after)
        apply(id, from: before, to: after)
        try follow(before.record, after?.record)
    }
}
