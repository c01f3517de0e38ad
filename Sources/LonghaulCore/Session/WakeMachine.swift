/// Starting the session's app. That it is about to be started is committed first, with what it is started for: whoever
/// dies in between leaves a start that got no answer, and the next owner tries again when that is due.
package struct WakeMachine: Equatable, Sendable {
    /// Something that the app has to be started for.
    package struct Occasion: Equatable, Sendable {
        package var at: WallTime
        package var reason: WakeReason
        package var transfer: TransferID?
        package var task: String?
        package var tap: NotificationTap?
        /// The app saw what arose up to then.
        package var seenUntil: WallTime
        /// Whether a person asks for the app with it, and not the clock.
        package var isAskedFor: Bool

        /// What has happened.
        package init(_ event: EventRecord, seenUntil: WallTime) {
            at = event.at
            reason = event.kind.wakeReason
            transfer = event.tap?.transfer ?? event.transfer
            tap = event.tap
            isAskedFor = event.tap != nil
            self.seenUntil = seenUntil
        }

        /// A task that waits for the app. Nobody who was here before it was due has seen it.
        package init(_ task: TaskMachine.WaitingTask) {
            at = task.since
            reason = .backgroundTask
            self.task = task.identifier
            isAskedFor = task.isForced
            seenUntil = WallTime(microseconds: .min)
        }
    }

    package private(set) var registration: WakeRegistration?
    package private(set) var record: WakeRecord
    /// Whether the app is being started.
    package private(set) var isWaking = false

    /// As an earlier owner left it in the store.
    package init(registration: WakeRegistration? = nil, record: WakeRecord = WakeRecord()) {
        self.registration = registration
        self.record = record
    }

    /// Whether, and when, the app is started for this.
    package func judge(_ occasion: Occasion?, _ attendance: Attendance, at now: WallTime) -> WakePolicy.Verdict {
        WakePolicy.judge(
            WakePolicy.Situation(
                registration: registration, record: record, occasion: occasion?.at,
                isAttached: attendance.isAttached, leftAt: occasion?.seenUntil ?? attendance.leftAt,
                isWaking: isWaking, isAskedFor: occasion?.isAskedFor ?? false),
            now: now)
    }

    /// Starts the app of this session if that is due.
    package mutating func decide(
        _ occasion: Occasion?, _ attendance: Attendance, of session: SessionID, at now: WallTime
    ) -> [SessionEffect] {
        guard let registration, let occasion, judge(occasion, attendance, at: now) == .now else { return [] }
        isWaking = true
        let request = WakeRequest(
            session: session, reason: occasion.reason, transfer: occasion.transfer, task: occasion.task,
            notification: occasion.tap?.identifier, activationToken: occasion.tap?.activationToken)
        let order = WakeOrder(
            request: request, method: registration.method, remark: record.outcome == .started ? record.message : "")
        return set(WakePolicy.noteWake(record, registration.backoff, at: now)) + [.wake(order)]
    }

    /// What came of a start.
    package mutating func noteEnd(_ report: WakeReport) -> [SessionEffect] {
        isWaking = false
        var record = record
        record.outcome = report.outcome
        // The app may have come and gone before the start was reported.
        if !report.message.isEmpty { record.message = report.message }
        return set(record)
    }

    /// The app was started, came and left, and declared no handler for a task that is due.
    package mutating func noteIdleVisit(of task: String) -> [SessionEffect] {
        guard record.lastWakeAt != nil else { return [] }
        var record = record
        record.message =
            "the app exited without a handler for the task \(task); register one, and call run() or runDue() of BackgroundTasks at each launch"
        return set(record)
    }

    /// The app has taken in what it was started for: its starts were not in vain.
    package mutating func noteAnswer() -> [SessionEffect] {
        set(WakePolicy.noteAcknowledgement(record))
    }

    package mutating func register(_ new: WakeRegistration?) -> [SessionEffect] {
        guard new != registration else { return [] }
        // Another way to start the app deserves a fresh try.
        let isOtherWay = new?.method != registration?.method
        registration = new
        return [.write(.wakeRegistration(new))] + (isOtherWay ? set(WakeRecord()) : [])
    }

    private mutating func set(_ new: WakeRecord) -> [SessionEffect] {
        guard new != record else { return [] }
        record = new
        return [.write(.wakeRecord(new))]
    }
}
