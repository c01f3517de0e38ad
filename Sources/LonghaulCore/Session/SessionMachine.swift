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
        /// Whether it can start the app; an app cannot start itself.
        package var startsApps = false

        package init(kind: SessionOwner.Kind, session: SessionID?) {
            self.kind = kind
            self.session = session
        }
    }

    package var host: Host
    package private(set) var attendance: Attendance
    package private(set) var events: EventMachine
    package private(set) var waking: WakeMachine
    package var notifications: NotificationMachine
    /// The first of the background tasks that only wait for the app to be started.
    package var waitingTask: WaitingTask?

    /// A background task that is due, and that the app has to be started for.
    package struct WaitingTask: Equatable, Sendable {
        package var identifier: String
        package var since: WallTime

        package init(_ identifier: String, since: WallTime) {
            self.identifier = identifier
            self.since = since
        }
    }

    /// As an earlier owner left it in the store.
    package init(
        _ host: Host, openedAt: WallTime, events: EventMachine = EventMachine(), waking: WakeMachine = WakeMachine(),
        notifications: NotificationMachine = NotificationMachine()
    ) {
        self.host = host
        attendance = Attendance(openedAt: openedAt)
        self.events = events
        self.waking = waking
        self.notifications = notifications
    }

    package mutating func handle(_ input: SessionInput, at now: WallTime) -> [SessionEffect] {
        switch input {
        case .tookOver(let former, let loss):
            notifications.takeOver(as: host.kind, from: former, loss, at: now)
            return []
        case .attached(let token):
            attendance.add(token)
            noteAttendance(at: now)
            return events.keep()
        case .detached(let token):
            attendance.remove(token, at: now)
            noteAttendance(at: now)
            return []
        case .eventsAcknowledged(let number): return events.acknowledge(through: number)
        case .eventsWritten(let facts):
            let (isAnswered, effects) = events.note(facts)
            return effects + (isAnswered ? waking.noteAnswer() : [])
        case .transfersCounted(let totals): return events.settle(totals)
        case .wakeRegistered(let registration):
            return waking.register(registration) + (registration == nil ? [] : events.keep())
        case .wakeEnded(let report): return waking.noteEnd(report)
        // The app was not started in vain.
        case .taskServed: return events.occasion == nil ? waking.noteAnswer() : []
        case .notificationRequested(let request): return notifications.obey(request)
        case .notificationChanged(let key, let news):
            let (tap, effects) = notifications.hear(news, of: key, at: now)
            return effects + (tap.map { events.note($0) } ?? [])
        }
    }

    /// Whether `follow` has anything to do.
    package var followsTransfers: Bool { events.keepsEvents || notifications.board.settings != nil }

    /// Follows a transfer; `nil` for one that was not there, or is forgotten.
    package mutating func follow(_ before: TransferRecord?, _ after: TransferRecord?) -> [SessionEffect] {
        notifications.board.note(before, after)
        return events.follow(before, after)
    }

    /// Decides what follows from all that a turn has changed.
    package mutating func settle(at now: WallTime, progress: NotificationMachine.Progress) -> [SessionEffect] {
        let shown = notifications.settle(at: now, progress: progress)
        guard host.startsApps, let session = host.session else { return shown }
        return shown + waking.decide(wakeOccasion, attendance, of: session, at: now)
    }

    /// Counts a transfer after the settings of the notifications have changed.
    package mutating func countNotified(_ record: TransferRecord) {
        notifications.board.count(record)
    }

    private mutating func noteAttendance(at now: WallTime) {
        guard host.kind == .service else { return }
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

    /// Whether the service has to stay for the app's sake. An app that is not installed is not waited for: it is tried
    /// again when there is a service for another reason.
    package func hasWakeAhead(at now: WallTime) -> Bool {
        waking.isWaking || nextWake(at: now) != nil && waking.record.outcome != .missing
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
        if event?.tap == nil, let waitingTask {
            return WakeMachine.Occasion(task: waitingTask.identifier, since: waitingTask.since)
        }
        return event
    }
}
