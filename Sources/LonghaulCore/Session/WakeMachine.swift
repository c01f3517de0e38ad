/// Launches of the session's app. The launch and its reason are committed first. A crash in between leaves a launch
/// without an answer, and the next owner tries again when a retry is due.
package struct WakeMachine: Equatable, Sendable {
    /// A reason to launch the app.
    package struct Occasion: Equatable, Sendable {
        package var at: WallTime
        package var reason: WakeReason
        package var transfer: TransferID?
        package var task: String?
        package var tap: NotificationTap?
        /// The time up to which the app has seen all events.
        package var seenUntil: WallTime
        /// Whether the user opens the app, rather than the clock.
        package var isAskedFor: Bool

        /// Creates an occasion from an event.
        package init(_ event: EventRecord, seenUntil: WallTime) {
            at = event.at
            reason = event.kind.wakeReason
            transfer = event.tap?.transfer ?? event.transfer
            tap = event.tap
            isAskedFor = event.tap != nil
            self.seenUntil = seenUntil
        }

        /// Creates an occasion from a task that waits for the app. An app that was attached before the task was due has
        /// not seen it.
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
    /// Whether a launch is in progress.
    package private(set) var isWaking = false

    /// Restores the state that an earlier owner left in the store.
    package init(registration: WakeRegistration? = nil, record: WakeRecord = WakeRecord()) {
        self.registration = registration
        self.record = record
    }

    /// Returns whether and when to launch the app for an occasion.
    package func verdict(_ occasion: Occasion?, _ attendance: Attendance, at now: WallTime) -> WakePolicy.Verdict {
        WakePolicy.decide(
            WakePolicy.Situation(
                registration: registration, record: record, occasion: occasion?.at,
                isAttached: attendance.isAttached, leftAt: occasion?.seenUntil ?? attendance.leftAt,
                isWaking: isWaking, isAskedFor: occasion?.isAskedFor ?? false),
            now: now)
    }

    /// Launches the session's app if that is due.
    package mutating func decide(
        _ occasion: Occasion?, _ attendance: Attendance, of session: SessionID, at now: WallTime
    ) -> [SessionEffect] {
        guard let registration, let occasion, verdict(occasion, attendance, at: now) == .now else { return [] }
        isWaking = true
        let request = WakeRequest(
            session: session, reason: occasion.reason, transfer: occasion.transfer, task: occasion.task,
            notification: occasion.tap?.identifier, activationToken: occasion.tap?.activationToken)
        let order = WakeOrder(
            request: request, method: registration.method, remark: record.outcome == .started ? record.message : "")
        return set(WakePolicy.recordWake(record, registration.backoff, at: now)) + [.wake(order)]
    }

    /// Processes the result of a launch.
    package mutating func recordEnd(_ report: WakeReport) -> [SessionEffect] {
        isWaking = false
        var record = record
        record.outcome = report.outcome
        // The app may have attached and exited before the launch was reported.
        if !report.message.isEmpty { record.message = report.message }
        return set(record)
    }

    /// Notes that the app was launched, attached, and exited without a handler for a due task.
    package mutating func recordIdleVisit(of task: String) -> [SessionEffect] {
        guard record.lastWakeAt != nil else { return [] }
        var record = record
        record.message =
            "the app exited without a handler for the task \(task); register one, and call run() or runDue() of BackgroundTasks at each launch"
        return set(record)
    }

    /// Notes that the app acknowledged its launch events.
    package mutating func recordAnswer() -> [SessionEffect] {
        set(WakePolicy.recordAcknowledgement(record))
    }

    package mutating func register(_ new: WakeRegistration?) -> [SessionEffect] {
        guard new != registration else { return [] }
        // Another launch method gets a fresh try.
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
