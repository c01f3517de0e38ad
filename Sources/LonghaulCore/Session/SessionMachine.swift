/// The state and decisions of a session as a whole, without its transfers' machines: one value that consists of small
/// machines.
///
/// The machine never waits, and reads neither a clock nor a disk: it takes an input with the turn's time, and returns
/// effects. The loop keeps the value from before the turn, and restores it if the turn's commit fails. Nothing else
/// must be undone.
package struct SessionMachine: Equatable, Sendable {
    /// The process that runs the session, and its abilities.
    package struct Host: Equatable, Sendable {
        package var kind: SessionOwner.Kind
        /// `nil` if the directory does not belong to a named session.
        package var session: SessionID?
        /// Changes with every boot of the machine.
        package var bootID: String
        /// Whether the process can launch the app. An app cannot launch itself.
        package var startsApps = false
        /// Whether the process can run the session while the app is absent.
        package var outlivesApp: Bool

        package init(kind: SessionOwner.Kind, session: SessionID?, bootID: String, outlivesApp: Bool = false) {
            self.kind = kind
            self.outlivesApp = outlivesApp || kind == .service
            self.session = session
            self.bootID = bootID
        }
    }

    package var host: Host
    package private(set) var ownership: OwnershipMachine
    package private(set) var attendance: Attendance
    package private(set) var events: EventMachine
    package private(set) var waking: WakeMachine
    package var notifications: NotificationMachine
    package private(set) var tasks: TaskMachine
    package var credentials = CredentialCache()
    package var conditions: ConditionMachine
    private var chains = ChainMachine()
    package private(set) var lastWills: LastWillMachine

    /// Restores the state that an earlier owner left in the store.
    package init(
        _ host: Host, openedAt: WallTime, ownership: OwnershipMachine = OwnershipMachine(),
        events: EventMachine = EventMachine(), waking: WakeMachine = WakeMachine(),
        notifications: NotificationMachine = NotificationMachine(), tasks: TaskMachine = TaskMachine(),
        conditions: ConditionMachine = ConditionMachine(), lastWills: LastWillMachine = LastWillMachine()
    ) {
        self.host = host
        self.ownership = ownership
        attendance = Attendance(openedAt: openedAt)
        self.events = events
        self.waking = waking
        self.notifications = notifications
        self.tasks = tasks
        self.conditions = conditions
        self.lastWills = lastWills
    }

    package mutating func handle(
        _ input: SessionInput, at now: WallTime, in zone: TimeZoneRules
    ) -> [SessionEffect] {
        switch input {
        case .tookOver(let owner, let loss):
            notifications.takeOver(as: owner.kind, from: ownership.owner?.kind, loss, at: now)
            // An app that the system launches in the background needs events even if the user does not see it.
            return ownership.takeOver(as: owner) + (host.outlivesApp && owner.kind == .app ? events.keep() : [])
        case .ownerLost(let report): return ownership.recordLoss(report)
        case .ownerLossAcknowledged: return ownership.acknowledge()
        case .ownerLossPolicyChanged(let policy): return ownership.set(policy)
        case .attached(let token):
            attendance.add(token)
            recordAttendance(at: now)
            return events.keep()
        case .detached(let token):
            attendance.remove(token, at: now)
            lastWills.checkSoon(at: now)
            recordAttendance(at: now)
            let effects = tasks.remove(token, bootID: host.bootID)
            guard host.startsApps, !attendance.isAttached, let task = tasks.waitingForHandler else { return effects }
            return effects + waking.recordIdleVisit(of: task)
        case .eventsAcknowledged(let number): return events.acknowledge(through: number)
        case .eventsWritten(let facts):
            let (isAnswered, effects) = events.update(facts)
            return effects + (isAnswered ? waking.recordAnswer() : [])
        case .transfersCounted(let totals): return events.endTurn(totals)
        case .wakeRegistered(let registration):
            if let refusal = registration?.refusal { return [.refuse(refusal)] }
            return waking.register(registration) + (registration == nil ? [] : events.keep())
        case .wakeEnded(let report): return waking.recordEnd(report)
        case .task(let name, let record, let event):
            let (effects, standing) = tasks.handle(event, name, record, at: now, in: zone)
            // The launch of the app was useful.
            return effects + (standing == .good && events.occasion == nil ? waking.recordAnswer() : [])
        case .taskFound(let record):
            tasks.update(at: record, at: now)
            return []
        case .taskReturned(let report): return tasks.processReturn(report)
        case .taskSettingsChanged(let settings): return tasks.set(settings)
        case .runnerAdded(let token, let runner):
            return tasks.add(token, runner, bootID: host.bootID, at: now)
        case .followerFound(let record, let predecessor): return chains.find(record, after: predecessor)
        case .clockChanged:
            tasks.recordClockChange(at: now)
            lastWills.checkSoon(at: now)
            return [.reviewTransfers]
        case .rulesChanged(let rules): return conditions.set(rules)
        case .surroundingsChanged(let surroundings): return conditions.update(surroundings)
        case .notificationRequested(let request): return notifications.obey(request)
        case .notificationChanged(let key, let news):
            let (tap, effects) = notifications.process(news, of: key, at: now)
            return effects + (tap.map { events.recordTap($0) } ?? [])
        case .lastWill(let order): return lastWills.obey(order, at: now)
        case .lost(let witnesses): return lastWills.execute(witnesses)
        }
    }

    private var reportsTransfers: Bool { events.keepsEvents || notifications.board.settings != nil }

    /// Tracks a change of a transfer; `before` is `nil` for a new transfer, `after` for a removed one.
    package mutating func follow(_ before: TransferRecord?, _ after: TransferRecord?) -> [SessionEffect] {
        guard reportsTransfers || !chains.isEmpty || after?.spec.options.predecessor != nil else { return [] }
        let released = chains.update(before, after)
        guard reportsTransfers else { return released }
        notifications.board.update(before, after)
        return events.follow(before, after) + released
    }

    /// Decides the effects of all changes of a turn.
    package mutating func endTurn(at now: WallTime, progress: NotificationMachine.Progress) -> [SessionEffect] {
        let effects = tasks.sendAssignments() + notifications.endTurn(at: now, progress: progress)
        guard host.startsApps, let session = host.session else { return effects }
        return effects + waking.decide(wakeOccasion, attendance, of: session, at: now)
    }

    /// Returns lookups of the background tasks that are due or out of time, and the check for processes that left a
    /// last will.
    package mutating func ring(at now: WallTime) -> [SessionEffect] {
        lastWills.ring(at: now) + tasks.ring(bootID: host.bootID, at: now)
    }

    /// Starts the background tasks that nothing delays.
    package mutating func beginTasks(at now: WallTime) -> [SessionEffect] {
        tasks.begin(isAttached: attendance.isAttached, bootID: host.bootID, conditions.forTasks, at: now)
    }

    /// Supplies the credentials that a transfer waits for, or requests them.
    package mutating func consult(
        _ transfer: TransferMachine, isAnswer: Bool = false, at now: WallTime
    ) -> [SessionEffect] {
        credentials.consult(transfer, isAnswer: isAnswer, at: now)
    }

    /// Processes a server's response to a request with a credential.
    package mutating func applyResponse(
        _ head: ResponseHead, to use: CredentialUse, isRepeated: Bool, at now: WallTime
    ) -> [SessionEffect] {
        credentials.applyResponse(head, to: use, isRepeated: isRepeated, at: now)
    }

    /// Counts a transfer after the notification settings changed.
    package mutating func countNotified(_ record: TransferRecord) {
        notifications.board.count(record)
    }

    /// Copies the in-memory state of this process's previous loop, which is not in the store.
    package mutating func inherit(from old: SessionMachine, at now: WallTime) {
        // Otherwise, the previous owner would count as lost.
        ownership.release(at: now)
        notifications.inherit(from: old.notifications)
        credentials.continueNumbers(of: old.credentials)
        conditions.inherit(from: old.conditions)
    }

    private mutating func recordAttendance(at now: WallTime) {
        guard host.outlivesApp else { return }
        notifications.update(isAppHere: attendance.isAttached, at: now)
    }
}

/// Work ahead of the session.
extension SessionMachine {
    /// When the app must be launched.
    package func nextWake(at now: WallTime) -> WallTime? {
        guard host.startsApps, host.session != nil else { return nil }
        switch waking.verdict(wakeOccasion, attendance, at: now) {
        case .now: return now
        case .at(let date): return date
        case .never: return nil
        }
    }

    /// Whether the service must keep running even if no transfer is active.
    package func hasWorkAhead(at now: WallTime) -> Bool {
        hasWakeAhead(at: now) || hasTaskAhead || notifications.hasWorkAhead(at: now) || lastWills.nextLook != nil
    }

    /// Whether a later owner would lack something that only memory has: credentials, or the answers to notifications.
    package var holdsMemory: Bool { credentials.isInUse || notifications.expectsAnswers || attendance.isAttached }

    /// Whether the service must keep running to launch the app. It does not keep running for an app that is not
    /// installed: a service that runs for another reason tries again.
    private func hasWakeAhead(at now: WallTime) -> Bool {
        waking.isWaking || nextWake(at: now) != nil && waking.record.outcome != .missing
    }

    /// When to call `ring` and `beginTasks` again.
    package mutating func nextDate(at now: WallTime) -> WallTime? {
        [tasks.nextDate(at: now), lastWills.nextLook].compactMap { $0 }.min()
    }

    /// Whether background tasks need the service to keep running. Tasks that the app cannot be launched for wait until
    /// a process opens the session.
    private var hasTaskAhead: Bool {
        tasks.hasWorkAhead(
            canStart: waking.registration?.sessionSendsLaunchEvents ?? false,
            isMissing: waking.record.outcome == .missing)
    }

    /// Returns the status of background tasks.
    package func taskPage(
        _ records: some Collection<BackgroundTaskRecord>, hasMore: Bool, at now: WallTime
    ) -> TaskPage {
        var throttle = tasks.throttle
        throttle.until = ThrottlePolicy.holdEnd(throttle, tasks.settings, at: now)
        let conditions = conditions.forTasks
        return TaskPage(
            tasks: records.map { tasks.status(of: $0, isAttached: attendance.isAttached, conditions, at: now) },
            hasMore: hasMore, throttle: throttle, settings: tasks.settings)
    }

    /// Returns the status of launching the session's app.
    package func wakeStatus(pendingEvents: Int, at now: WallTime) -> WakeStatus {
        var status = WakeStatus()
        status.registration = waking.registration
        status.record = waking.record
        status.pendingEvents = pendingEvents
        status.isAttached = attendance.isAttached
        guard host.startsApps else {
            status.hold = waking.registration == nil ? .notRegistered : .runByApp
            return status
        }
        switch waking.verdict(wakeOccasion, attendance, at: now) {
        case .now: status.hold = nil
        case .at(let date): (status.hold, status.nextWakeAt) = (.backingOff, date)
        case .never(let hold): status.hold = hold
        }
        return status
    }

    /// The occasion to launch the app. A click of the user comes first, then a task. The app also sees its events when
    /// it runs a task.
    private var wakeOccasion: WakeMachine.Occasion? {
        let event = events.occasion.map { WakeMachine.Occasion($0, seenUntil: attendance.leftAt) }
        if event?.tap == nil, let task = tasks.waitingForApp {
            return WakeMachine.Occasion(task)
        }
        return event
    }
}
