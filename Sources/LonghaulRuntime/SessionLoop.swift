import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// The single place for everything durable: events in, one commit, actions out.
///
/// It belongs to one thread and blocks only on the disk. `turn(_:)` handles the inputs: the machines decide, their records share one
/// commit, and only then are actions performed and replies sent.
final class SessionLoop {
    let state: SessionState
    var jobs: Jobs
    var health = StoreHealth()
    /// The session's share of the process's slots.
    let slots: SlotLease
    var outlets = LoopOutlets() {
        didSet {
            state.session.host.startsApps = outlets.startWake != nil
            state.session.notifications.canShow = outlets.startNotification != nil
        }
    }
    /// Transfers that the first committed turn has to recover; `nil` afterwards.
    private(set) var opening: FoundAtOpening?
    /// Set for the last turns, which must leave no lagging records.
    private var isClosing = false
    /// Set by the probe of a crash test; a dead loop does nothing.
    private(set) var isDead = false
    var clockSteps = ClockSteps()

    init(directory: SessionDirectory, store: Store, environment: RuntimeEnvironment) throws(TransferFailure) {
        state = try SessionState(directory, store, environment)
        jobs = Jobs(state)
        slots = SlotLease(environment.room)
    }

    /// Takes over the session: the first turn resumes interrupted transfers and finishes pending cleanup.
    func recover() throws(TransferFailure) {
        opening = try FoundAtOpening(state)
        clockSteps.open(after: state.session.ownership.owner, at: state.now)
        turn([])
        // If that turn was not committed, no files are deleted.
        if !isTakingOver { state.directory.sweep(state.store) }
    }

    /// Whether the first turn, which takes over the session, is not committed yet.
    var isTakingOver: Bool { opening != nil }

    /// Returns when the loop must turn again even if nothing arrives.
    func nextAlarm() -> WallTime? {
        if let date = health.nextDate { return date }
        state.now = state.environment.now()
        return state.nextDate()
    }

    /// Handles the inputs and everything due. `more` returns at most that many engine events that arrived since; with `waits`, it
    /// waits briefly for the first.
    func turn(_ arrived: [LoopInput], more: (Int, _ waits: Bool) -> [LoopInput] = { _, _ in [] }) {
        guard !isDead else { return }
        let arrived = state.audience.takePulls(from: arrived)
        readClock()
        if let trouble = health.trouble { return refuse(arrived, because: health.refusal ?? trouble) }
        var inputs = state.takeBacklog() + arrived
        health.beginTurn()
        state.batch = state.batch.next(state.session)
        do throws(TransferFailure) {
            try decide(&inputs, more)
            try commit()
        } catch {
            if !isClosing, needsAnother(because: error) { return giveUp(inputs, because: error) }
            undo(inputs, because: error)
            updateAudience()
            return
        }
        health.recordCommit()
        state.show(nil)
        clockSteps.didApply()
        opening = nil
        state.behind.didCommit()
        slots.hold(state.turns.queue.runningCount)
        finish()
        updateAudience()
        forgetDeletions()
    }

    /// Reads the clock. Dates in memory alone move with it at once, those of the records in this turn.
    private func readClock() {
        state.now = state.environment.now()
        let step = clockSteps.look(state.environment)
        guard step != .zero else { return }
        state.turns.move(datesBy: step)
        health.move(datesBy: step)
    }

    /// The last turn. Running transfers stay recorded as running: the next opening recovers them like any others.
    func shutDown(_ mailbox: Mailbox, _ arrived: [LoopInput]) {
        isClosing = true
        turn(arrived)
        if arrived.contains(where: \.isRelease) { takeNotificationsAway() }
        endEngine { turn(mailbox.close()) }
        state.audience.refusePulls()
        state.audience.reportSettled()
        state.runs.refuse(.sessionIsClosing)
        slots.giveBack()
        if !isDead, !isTakingOver, health.trouble == nil {
            state.store.release(at: state.environment.now())
            forgetDeletions(atOnce: true)
        }
    }

    /// Removes the notifications: the app that takes over shows its transfers itself.
    func takeNotificationsAway() {
        for order in state.session.notifications.ordersOfFarewell { outlets.startNotification?(order) }
    }

    /// Shuts down the engine. `rest` handles its last events, before the budgets of its exchanges are settled.
    func endEngine(takingIn rest: () -> Void = {}) {
        let engine = state.engine
        engine?.shutDown()
        state.engine = nil
        rest()
        FlowControl(state: state).endAll(of: engine?.exchanges)
    }

    func performEarly() {
        perform(state.behind.takeEarlyActions())
    }

    private func decide(
        _ inputs: inout [LoopInput], _ more: (Int, _ waits: Bool) -> [LoopInput]
    ) throws(TransferFailure) {
        if health.refusal != nil { try state.store.checkIsWritable() }
        if let opening { try TakeOver(state: state, slots: slots, found: opening).run() }
        try moveDates()
        try process(inputs)
        try Controls(state: state).advanceRuns()
        try ringAlarms()
        try ConditionReview(state: state).reviewIfDue()
        // Background tasks that are due, runs whose time is over, and the runs of lost processes.
        try state.apply(state.session.ring(at: state.now))
        try state.apply(state.session.beginTasks(at: state.now))
        try grantTurns()
        try join(&inputs, more)
        try state.settleSession()
        if isClosing || state.behind.isDue(at: state.now) { try state.writeLagging() }
    }

    /// Moves dates that stand for a length, after the clock was set or the store could not be written.
    private func moveDates() throws(TransferFailure) {
        let span = health.refusedAt.map { state.now - $0 } ?? .zero
        let events: [TransferEvent] =
            (clockSteps.pending.map { [.clockMoved(by: $0)] } ?? [])
            + (span < ClockSteps.tolerance ? [] : [.storeReturned(after: span)])
        for id in events.isEmpty ? [] : try state.store.ids(.all, ended: false) {
            for event in events { try state.feed(id, event) }
        }
    }

    func process(_ input: LoopInput) throws(TransferFailure) {
        try Inputs(state: state, jobs: jobs, slots: slots, isWritable: health.refusal == nil).process(input)
    }

    private func process(_ inputs: [LoopInput]) throws(TransferFailure) {
        var heard = 0
        for input in inputs {
            try process(input)
            guard case .engine = input, !isTakingOver else { continue }
            heard += 1
            if heard % TurnPace.fewEvents == 0 { try grantTurns() }
        }
    }

    private func ringAlarms() throws(TransferFailure) {
        while let id = state.turns.alarms.popDue(at: state.now) {
            state.batch.rung.append(id)
            try state.ring(id)
        }
    }

    private func grantTurns() throws(TransferFailure) {
        try TurnGrants(state: state, slots: slots).grant()
        performEarly()
    }

    /// Includes inputs that arrive before the commit.
    private func join(
        _ inputs: inout [LoopInput], _ more: (Int, _ waits: Bool) -> [LoopInput]
    ) throws(TransferFailure) {
        let pace = TurnPace(begin: state.environment.now())
        while state.batch.isWriting, inputs.count < TurnPace.mostInputs {
            let running = state.turns.queue.runningCount
            let waits = pace.mayWait(
                isAwaited: state.batch.isAwaited, runningCount: running, now: state.environment.now)
            let arrived = more(TurnPace.mostInputs - inputs.count, waits)
            if arrived.isEmpty { return }
            inputs += arrived
            try process(arrived)
            try grantTurns()
        }
    }

    private func commit() throws(TransferFailure) {
        guard state.batch.isWriting else { return }
        guard survives(.beforeCommit) else { return }
        try state.store.commit()
        state.batch.isWriting = false
        guard survives(.afterCommit) else { return }
    }

    private func finish() {
        guard !isDead else { return }
        let done = state.batch
        // Changes from here until the next turn begins belong to no turn.
        state.batch = done.next(state.session)
        state.runs.didCommit()
        for (ticket, moved) in done.endedJobs { jobs.end(ticket, moved: moved) }
        for reply in done.replies { reply() }
        perform(done.actions)
        if !isDead, let engine = state.engine { FlowControl(state: state).balance(engine.exchanges) }
        state.audience.reportSettled { state.turns.isStopping }
        for effect in done.effects {
            if effect.leavesProcess { guard survives(.beforeAction) else { return } }
            outlets.perform(effect, state)
        }
    }

    private func perform(_ actions: [(TransferID, TransferAction)]) {
        for (id, action) in actions {
            guard survives(.beforeAction) else { return }
            jobs.perform(action, for: id)
            guard survives(.afterAction) else { return }
        }
    }

    private func updateAudience() {
        if !isDead { state.updateAudience() }
    }

    /// Removes deleted data from the store's files, when that is due.
    private func forgetDeletions(atOnce: Bool = false) {
        guard !isDead, let date = state.deletions.dueAt, atOnce || date <= state.now else { return }
        state.deletions.clear()
        // Fails on a full disk or while another process reads the store; the next deletion schedules it again.
        try? state.store.forgetDeleted()
    }

    private func survives(_ point: LoopPoint) -> Bool {
        guard !isDead, let survives = state.environment.survives else { return !isDead }
        isDead = !survives(point)
        return !isDead
    }
}
