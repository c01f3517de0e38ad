import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// The one place where everything durable happens: events in, one commit, actions out.
///
/// It belongs to one thread and waits for nothing but the disk. `turn(_:)` handles what has arrived: the machines
/// decide, all their records share one commit, and only then are the actions performed and the answers given.
final class SessionLoop {
    let environment: RuntimeEnvironment
    /// Before the directory: whoever gets its lock must not meet a store that is being closed.
    let store: Store
    let directory: SessionDirectory
    var engine: (any Engine)?
    var turns: TransferTurns
    /// What is ahead of the disk.
    var behind = WriteBehind()
    var jobs = Jobs()
    var audience = Audience()
    var credentials = CredentialDesk()
    /// Brings what others answer to this loop.
    var post: @Sendable (LoopInput) -> Void = { _ in }
    /// What the session knows and decides as a whole.
    var session: SessionMachine
    /// Starts the app; `nil` where nobody can, in the app itself.
    var startWake: ((WakeOrder) -> Void)? {
        didSet { session.host.startsApps = startWake != nil }
    }
    /// Shows notifications; `nil` where nobody can.
    var startNotification: ((NotificationOrder) -> Void)? {
        didSet { session.notifications.canShow = startNotification != nil }
    }
    /// What the first turn that is committed has to take over; `nil` afterwards.
    var opening: FoundAtOpening?
    /// Set for the last turns: nothing may lag behind them.
    private var isClosing = false
    /// Set by the probe of a crash test; a dead loop touches nothing any more.
    private(set) var isDead = false
    var health = StoreHealth()
    /// What was deleted and is still in the files.
    var deletions = DeletionClock()
    /// Inputs that must not be lost while the store cannot be written.
    var backlog: [LoopInput] = []
    var batch: Batch
    /// The instant at which everything in this turn is decided.
    private(set) var now: WallTime
    /// Commands that take several turns, oldest first.
    var runs: [ControlRun] = []
    /// Exchanges that move bytes, and what they may move.
    var flows: Flows
    /// The session's part of the slots that the process has.
    let slots: SlotLease

    init(directory: SessionDirectory, store: Store, environment: RuntimeEnvironment) throws(TransferFailure) {
        self.directory = directory
        self.store = store
        self.environment = environment
        turns = TransferTurns(limits: try store.limits(), inherited: store.newestSequence)
        slots = SlotLease(environment.room)
        let ledger = BudgetLedger(path: directory.layout.budget)
        flows = Flows(Budgets(own: ledger, common: environment.userLedger, zone: environment.zone))
        now = environment.now()
        session = try store.sessionMachine(
            environment.host(of: directory.layout.session), environment.surroundings(), openedAt: now)
        batch = Batch(session)
        try openCredentials()
    }

    /// Whether the first turn, which takes the session over, is still to be committed.
    var isTakingOver: Bool { opening != nil }

    /// What a transfer's machine may know when it handles an event.
    private func moment(of event: TransferEvent, _ transfer: LiveTransfer) -> Moment {
        Moment(
            now: now, random: environment.random(), bootID: environment.bootID,
            stopLeavesDoubt: event.mayStop && counters.stopLeavesDoubt(transfer))
    }

    /// When the loop must turn again although nothing arrives.
    func nextAlarm() -> WallTime? {
        if let date = health.nextDate { return date }
        now = environment.now()
        if !runs.isEmpty || !backlog.isEmpty || audience.isAsking { return now }
        return [
            turns.nextDate(), session.nextDate(at: now), session.nextWake(at: now), session.notifications.nextDate,
            behind.dueAt, session.conditions.reviewAt, flows.traffic.measuredAt, deletions.dueAt,
            audience.watchers.nextTick(isMoving: turns.queue.runningCount > 0, at: now),
        ]
        .compactMap { $0 }.min()
    }

    /// Handles what has arrived and what is due. `more` gives what the engine has said since then, at most so many events; told to,
    /// it waits a moment for the first.
    func turn(_ arrived: [LoopInput], more: (Int, _ waits: Bool) -> [LoopInput] = { _, _ in [] }) {
        guard !isDead else { return }
        let arrived = audience.takePulls(from: arrived)
        now = environment.now()
        if let trouble = health.trouble { return refuse(arrived, because: health.refusal ?? trouble) }
        var inputs = backlog + arrived
        backlog = []
        health.beginTurn()
        batch.clear(session)
        batch.runs = runs
        do throws(TransferFailure) {
            if let opening { try takeOver(opening) }
            try take(inputs)
            try advanceRuns()
            try ringAlarms()
            try reviewIfDue()
            try advanceTasks()
            try grantTurns()
            performEarly()
            try join(&inputs, more)
            try settleSession()
            if isClosing || behind.isDue(at: now) { try writeLagging() }
            try commit()
        } catch {
            if !isClosing, needsAnother(because: error) { return giveUp(inputs, because: error) }
            undo(inputs, because: error)
            tellAudience()
            return
        }
        health.noteCommit()
        opening = nil
        behind.settle()
        slots.settle(turns.queue.runningCount)
        finishBatch()
        tellAudience()
        forgetDeletions()
    }

    /// What the session has to do, from the store's counters.
    var activity: SessionActivity {
        let totals = totals
        return SessionActivity(
            totals: totals,
            hasLiveWork: totals.waiting + totals.running > 0 || session.hasWorkAhead(at: environment.now()))
    }

    /// How many transfers are in each state, those included that the disk does not know yet.
    var totals: SessionTotals {
        var totals = store.totals()
        totals.waiting -= behind.begun
        totals.running += behind.begun
        return totals
    }

    /// The last turn. Running transfers stay recorded as running: the next opening recovers them like any others.
    func shutDown(_ mailbox: Mailbox, _ arrived: [LoopInput]) {
        isClosing = true
        turn(arrived)
        if arrived.contains(where: \.isRelease) { takeNotificationsAway() }
        let lastEngine = engine
        engine?.shutDown()
        engine = nil
        turn(mailbox.close())
        endFlows(of: lastEngine)
        audience.refusePulls()
        audience.tellSettled()
        refuseRuns(TransferFailure(.serviceUnavailable, "The session is being closed. Try again in a moment."))
        slots.giveBack()
        if !isDead, !isTakingOver, health.trouble == nil {
            store.letGo(at: environment.now())
            forgetDeletions(atOnce: true)
        }
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
        let reaction = transfer.machine.handle(event, at: moment(of: event, transfer))
        if transfer.machine.step == nil { (transfer.ticket, transfer.credentialUse) = (nil, nil) }
        if !transfer.record.asksTheSame(as: before.record) {
            transfer.host = LiveTransfer.host(of: transfer.record.spec)
        }
        if transfer.record != before.record { try note(transfer.record, since: before.record) }
        try replace(id, before, by: transfer)
        batch.actions += reaction.actions.map { (id, $0) }
        return reaction.refusal
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

    /// A transfer as it is now: in memory, or from the store.
    func transfer(_ id: TransferID) throws(TransferFailure) -> LiveTransfer? {
        if let transfer = turns[id] { return transfer }
        guard let stored = try store.transfer(id) else { return nil }
        return LiveTransfer(behind[id]?.record ?? stored.record, host: stored.host)
    }

    /// Updates turns and watchers for what a transfer has become. Called with both values exchanged, it undoes itself.
    func settle(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        turns.settle(id, from: before, to: after)
        audience.watchers.note(
            id, after?.record, group: (after ?? before)?.lane.group, before: before?.lane.group,
            wasLive: before.map { !$0.record.state.isEnded } ?? false)
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

    private func commit() throws(TransferFailure) {
        guard batch.isWriting else { return }
        guard survives(.beforeCommit) else { return }
        try store.commit()
        batch.isWriting = false
        guard survives(.afterCommit) else { return }
    }

    func survives(_ point: LoopPoint) -> Bool {
        guard !isDead, let survives = environment.survives else { return !isDead }
        isDead = !survives(point)
        return !isDead
    }
}
