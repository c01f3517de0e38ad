import LonghaulCore
import LonghaulStore

/// Starting the session's app. That it is about to be started is committed first, with what it is started for: whoever
/// dies in between leaves a start that got no answer, and the next owner tries again when that is due.
extension SessionLoop {
    /// When the app has to be started by itself.
    var nextWake: WallTime? {
        guard startWake != nil, directory.layout.session != nil else { return nil }
        switch judgeWake() {
        case .now: return environment.now()
        case .at(let date): return date
        case .never: return nil
        }
    }

    /// Whether the service has to stay for the app's sake. An app that is not installed is not waited for: it is tried
    /// again when there is a service for another reason.
    var hasWakeAhead: Bool {
        isWaking || nextWake != nil && book.record.outcome != .missing
    }

    /// Decides in the turn's transaction; the start itself comes after the commit.
    func decideWake() throws(TransferFailure) {
        guard startWake != nil, let registration = book.registration, let occasion = wakeOccasion,
            let session = directory.layout.session, judgeWake() == .now
        else { return }
        try setWakeRecord(WakePolicy.noteWake(book.record, registration.backoff, at: environment.now()))
        let request = WakeRequest(
            session: session, reason: occasion.reason, transfer: occasion.transfer, task: occasion.task)
        batch.wake = WakeOrder(request: request, method: registration.method)
    }

    /// What came of a start.
    func noteWakeEnd(_ report: WakeReport) throws(TransferFailure) {
        isWaking = false
        var record = book.record
        record.outcome = report.outcome
        record.message = report.message
        try setWakeRecord(record)
    }

    func setWakeRecord(_ record: WakeRecord) throws(TransferFailure) {
        guard record != book.record else { return }
        try beginWriting()
        try store.setWakeRecord(record)
        book.record = record
    }

    func setWake(_ registration: WakeRegistration?) throws(TransferFailure) {
        guard registration != book.registration else { return }
        try beginWriting()
        try store.setWakeRegistration(registration)
        if registration != nil { try keepEvents() }
        // Another way to start the app deserves a fresh try.
        if registration?.method != book.registration?.method { try setWakeRecord(WakeRecord()) }
        book.registration = registration
    }

    func wakeStatus() throws(TransferFailure) -> WakeStatus {
        var status = WakeStatus()
        status.registration = book.registration
        status.record = book.record
        status.pendingEvents = try store.eventCount()
        status.isAttached = attendance.isAttached
        guard startWake != nil else {
            status.hold = book.registration == nil ? .notRegistered : .runByApp
            return status
        }
        switch judgeWake() {
        case .now: status.hold = nil
        case .at(let date): (status.hold, status.nextWakeAt) = (.backingOff, date)
        case .never(let hold): status.hold = hold
        }
        return status
    }

    private func judgeWake() -> WakePolicy.Verdict {
        let occasion = wakeOccasion
        return WakePolicy.judge(
            WakePolicy.Situation(
                registration: book.registration, record: book.record, occasion: occasion?.at,
                isAttached: attendance.isAttached, leftAt: occasion?.seenUntil ?? attendance.leftAt, isWaking: isWaking),
            now: environment.now())
    }

    /// What the app is started for. A task goes first: who comes for it sees the events as well.
    private var wakeOccasion: WakeOccasion? {
        if let task = tasksWaiting.occasion {
            // Nobody who was here before it was due has seen it.
            return WakeOccasion(
                at: task.since, reason: .backgroundTask, task: task.identifier,
                seenUntil: WallTime(microseconds: .min))
        }
        return book.occasion.map {
            WakeOccasion(
                at: $0.at, reason: $0.kind.wakeReason, transfer: $0.transfer, seenUntil: attendance.leftAt)
        }
    }
}

/// Something that the app has to be started for.
private struct WakeOccasion {
    var at: WallTime
    var reason: WakeReason
    var transfer: TransferID?
    var task: String?
    /// The app saw what arose up to then.
    var seenUntil: WallTime
}
