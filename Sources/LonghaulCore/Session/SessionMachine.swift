/// What a session knows and decides as a whole, beside its transfers' own machines: one value, made of small machines.
///
/// It waits for nothing and reads neither a clock nor a disk: an input and the turn's instant come in, effects go out. The
/// loop keeps the value from before the turn, and puts it back when the turn's commit fails: that is all there is to undo here.
package struct SessionMachine: Equatable, Sendable {
    /// What the process that runs the session is, and can do.
    package struct Host: Equatable, Sendable {
        package var kind: SessionOwner.Kind
        /// `nil` where the directory is not that of a named session.
        package var session: SessionID?
        /// Differs after every start of the machine.
        package var bootID: String
        /// Whether it can start the app; an app cannot start itself.
        package var startsApps = false
        /// Whether the app can be away while this process has the session.
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
    package var credentials = CredentialBook()
    package var conditions: ConditionMachine
    private var chains = ChainMachine()
    package private(set) var lastWills: LastWillMachine

    /// As an earlier owner left it in the store.
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
            // An app that the system has started wants to be told, although nobody sees it.
            return ownership.takeOver(as: owner) + (host.outlivesApp && owner.kind == .app ? events.keep() : [])
        case .ownerLost(let report): return ownership.note(report)
        case .ownerLossAcknowledged: return ownership.acknowledge()
        case .ownerLossPolicyChanged(let policy): return ownership.set(policy)
        case .attached(let token):
            attendance.add(token)
            noteAttendance(at: now)
            return events.keep()
        case .detached(let token):
            attendance.remove(token, at: now)
            lastWills.lookSoon(at: now)
            noteAttendance(at: now)
            let effects = tasks.remove(token, bootID: host.bootID)
            guard host.startsApps, !attendance.isAttached, let task = tasks.waitingForHandler else { return effects }
            return effects + waking.noteIdleVisit(of: task)
        case .eventsAcknowledged(let number): return events.acknowledge(through: number)
        case .eventsWritten(let facts):
            let (isAnswered, effects) = events.note(facts)
            return effects + (isAnswered ? waking.noteAnswer() : [])
        case .transfersCounted(let totals): return events.settle(totals)
        case .wakeRegistered(let registration):
            if let refusal = registration?.refusal { return [.refuse(refusal)] }
            return waking.register(registration) + (registration == nil ? [] : events.keep())
        case .wakeEnded(let report): return waking.noteEnd(report)
        case .task(let name, let record, let event):
            let (effects, standing) = tasks.handle(event, name, record, at: now, in: zone)
            // The app was not started in vain.
            return effects + (standing == .good && events.occasion == nil ? waking.noteAnswer() : [])
        case .taskFound(let record):
            tasks.look(at: record, at: now)
            return []
        case .taskReturned(let report): return tasks.hear(report)
        case .taskSettingsChanged(let settings): return tasks.set(settings)
        case .runnerAdded(let token, let runner):
            return tasks.add(token, runner, bootID: host.bootID, at: now)
        case .followerFound(let record, let predecessor): return chains.find(record, after: predecessor)
        case .clockChanged:
            tasks.noteClockChange(at: now)
            lastWills.lookSoon(at: now)
            return [.reviewTransfers]
        case .rulesChanged(let rules): return conditions.set(rules)
        case .surroundingsChanged(let surroundings): return conditions.note(surroundings)
        case .notificationRequested(let request): return notifications.obey(request)
        case .notificationChanged(let key, let news):
            let (tap, effects) = notifications.hear(news, of: key, at: now)
            return effects + (tap.map { events.note($0) } ?? [])
        case .lastWill(let order): return lastWills.obey(order, at: now)
        case .lost(let witnesses): return lastWills.execute(witnesses)
        }
    }

    private var tellsOfTransfers: Bool { events.keepsEvents || notifications.board.settings != nil }

    /// Follows a transfer; `nil` for one that was not there, or is forgotten.
    package mutating func follow(_ before: TransferRecord?, _ after: TransferRecord?) -> [SessionEffect] {
        guard tellsOfTransfers || !chains.isEmpty || after?.spec.options.predecessor != nil else { return [] }
        let released = chains.note(before, after)
        guard tellsOfTransfers else { return released }
        notifications.board.note(before, after)
        return events.follow(before, after) + released
    }

    /// Decides what follows from all that a turn has changed.
    package mutating func settle(at now: WallTime, progress: NotificationMachine.Progress) -> [SessionEffect] {
        let effects = tasks.tell() + notifications.settle(at: now, progress: progress)
        guard host.startsApps, let session = host.session else { return effects }
        return effects + waking.decide(wakeOccasion, attendance, of: session, at: now)
    }

    /// Looks up the background tasks whose date has come, and those whose time is over; and whether those are still here who left
    /// a last will.
    package mutating func ring(at now: WallTime) -> [SessionEffect] {
        lastWills.ring(at: now) + tasks.ring(bootID: host.bootID, at: now)
    }

    /// Begins the background tasks that nothing holds back.
    package mutating func beginTasks(at now: WallTime) -> [SessionEffect] {
        tasks.begin(isAttached: attendance.isAttached, bootID: host.bootID, conditions.forTasks, at: now)
    }

    /// Lets a transfer that waits for credentials have them, or asks for them.
    package mutating func consult(
        _ transfer: TransferMachine, isAnswer: Bool = false, at now: WallTime
    ) -> [SessionEffect] {
        credentials.consult(transfer, isAnswer: isAnswer, at: now)
    }

    /// A server has answered a request with a credential.
    package mutating func judge(
        _ head: ResponseHead, to use: CredentialUse, isRepeated: Bool, at now: WallTime
    ) -> [SessionEffect] {
        credentials.judge(head, to: use, isRepeated: isRepeated, at: now)
    }

    /// Counts a transfer after the settings of the notifications have changed.
    package mutating func countNotified(_ record: TransferRecord) {
        notifications.board.count(record)
    }

    /// Takes over what another loop of this process knew beyond the store.
    package mutating func inherit(from old: SessionMachine, at now: WallTime) {
        // Else the owner before would be taken for one that was lost.
        ownership.letGo(at: now)
        notifications.inherit(from: old.notifications)
        credentials.continueNumbers(of: old.credentials)
        conditions.inherit(from: old.conditions)
    }

    private mutating func noteAttendance(at now: WallTime) {
        guard host.outlivesApp else { return }
        notifications.note(isAppHere: attendance.isAttached, at: now)
    }
}

/// What the session has ahead.
extension SessionMachine {
    /// When the app has to be started by itself.
    package func nextWake(at now: WallTime) -> WallTime? {
        guard host.startsApps, host.session != nil else { return nil }
        switch waking.judge(wakeOccasion, attendance, at: now) {
        case .now: return now
        case .at(let date): return date
        case .never: return nil
        }
    }

    /// Whether somebody has to be here, also when no transfer is under way.
    package func hasWorkAhead(at now: WallTime) -> Bool {
        hasWakeAhead(at: now) || hasTaskAhead || notifications.hasWorkAhead(at: now) || lastWills.nextLook != nil
    }

    /// Whether the service has to stay for the app's sake. An app that is not installed is not waited for: it is tried
    /// again when there is a service for another reason.
    private func hasWakeAhead(at now: WallTime) -> Bool {
        waking.isWaking || nextWake(at: now) != nil && waking.record.outcome != .missing
    }

    /// When `ring` and `beginTasks` have to be called again.
    package mutating func nextDate(at now: WallTime) -> WallTime? {
        [tasks.nextDate(at: now), lastWills.nextLook].compactMap { $0 }.min()
    }

    /// Whether background tasks have something ahead that somebody has to be here for. Those that nobody is to be started for
    /// wait for whoever opens the session.
    private var hasTaskAhead: Bool {
        tasks.hasWorkAhead(
            canStart: waking.registration?.sessionSendsLaunchEvents ?? false,
            isMissing: waking.record.outcome == .missing)
    }

    /// How background tasks stand.
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

    /// How the session stands with starting its app.
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
        switch waking.judge(wakeOccasion, attendance, at: now) {
        case .now: status.hold = nil
        case .at(let date): (status.hold, status.nextWakeAt) = (.backingOff, date)
        case .never(let hold): status.hold = hold
        }
        return status
    }

    /// What the app is started for. Before everything else goes a person who asks for it, then a task: who comes for one sees
    /// the events as well.
    private var wakeOccasion: WakeMachine.Occasion? {
        let event = events.occasion.map { WakeMachine.Occasion($0, seenUntil: attendance.leftAt) }
        if event?.tap == nil, let task = tasks.waitingForApp {
            return WakeMachine.Occasion(task)
        }
        return event
    }
}
