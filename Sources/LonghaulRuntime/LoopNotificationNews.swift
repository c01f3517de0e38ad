import LonghaulCore
import LonghaulStore

/// What a person does with notifications, what becomes of them, and who is there to see them.
extension SessionLoop {
    /// How long an app has to come back before its transfers are told of.
    private static let returnTime = Span.seconds(1)
    /// The same after the service was started anew.
    private static let restartTime = Span.seconds(3)

    /// What became of a notification.
    func hear(_ news: NotificationNews, of key: NotificationKey) throws(TransferFailure) {
        notices.note(news, of: key)
        // What it was said about may have changed meanwhile.
        notices.waiting.insert(key)
        switch news {
        case .posted(let headline, let number, let server):
            board.notePosted(
                key, headline, ShownNotification(number: number, server: server, at: environment.now()))
        case .refused(let headline): board.notePosted(key, headline, nil)
        case .held: break
        case .closed: board.noteClosed(key)
        case .gone: board.noteGone(key)
        case .seen: board.noteSeen(key)
        case .invoked(let action, let token): try act(action, on: key, token)
        }
    }

    private func act(
        _ action: NotificationAction, on key: NotificationKey, _ token: String
    ) throws(TransferFailure) {
        guard let slot = board.slots[key] else { return }
        switch action {
        case .open:
            let kind = slot.posted?.kind
            let subject = kind.flatMap(slot.tally.subject)
            try noteTap(
                NotificationTap(
                    identifier: key.identifier, kind: kind, transfer: slot.text?.transfer ?? subject?.transfer,
                    activationToken: token))
            // Most servers have taken it away by now.
            if slot.shown != nil { batch.notifications.append(NotificationOrder(key, .close(slot.shown))) }
            board.noteSeen(key)
        case .pause:
            board.notePausedHere(key)
            try control(.pause, key)
        case .resume: try control(.resume, key)
        case .cancel: try control(.cancel, key)
        case .retry:
            try goOnAnyway(key)
            try control(.retry, key)
        }
    }

    /// Lets go on, for this once, what the person's rules hold back: the person has just said so.
    private func goOnAnyway(_ key: NotificationKey) throws(TransferFailure) {
        let heldBack = try transfers(of: key, ended: false).filter(\.state.isHeldBack).map(\.id)
        if !heldBack.isEmpty { _ = try adjust(TransferAdjustment(ignoresConditions: true), .ids(heldBack)) }
    }

    /// The transfers that share a notification.
    private func transfers(of key: NotificationKey, ended: Bool?) throws(TransferFailure) -> [TransferRecord] {
        let selection: TransferSelection = if case .group(let name) = key { .group(name) } else { .all }
        var records: [TransferRecord] = []
        for id in try store.ids(selection, ended: ended) {
            if let record = try transfer(id)?.record, board.key(of: record) == key { records.append(record) }
        }
        return records
    }

    /// Does something to the transfers that share a notification.
    private func control(_ verb: ControlVerb, _ key: NotificationKey) throws(TransferFailure) {
        let ids = try transfers(of: key, ended: verb == .retry ? nil : false)
            .filter { verb != .retry || $0.state.waitsForTrying }.map(\.id)
        batch.runs.append(ControlRun(verb: verb, ids: ids[...], areNamed: false, reply: { _ in }))
    }

    /// The app has come or gone. One that runs the session itself is there for as long as the session is open.
    func noteAttendance() {
        guard environment.ownerKind == .service, attendance.isAttached != board.isAppHere else { return }
        if attendance.isAttached {
            board.appArrived()
        } else {
            board.appLeft()
            notices.heldUntil = environment.now() + Self.returnTime
        }
    }

    /// This process has the session now. In an app nothing is shown; in the service it depends on who had it before.
    func noteTakeOver(from former: SessionOwner?, loss: OwnerLossReason?) {
        let shown = board.slots.compactMap { key, slot in slot.shown.map { (key, $0) } }
        guard environment.ownerKind == .service else {
            board.appArrived()
            // Whoever cannot show anything cannot take it away either.
            if startNotification == nil { for (key, _) in shown { board.noteGone(key) } }
            return
        }
        for (key, notification) in shown {
            batch.notifications.append(NotificationOrder(key, .watch(notification)))
        }
        switch former?.kind {
        case .service: notices.heldUntil = environment.now() + Self.restartTime
        case .app where loss == nil: board.appLeft()
        case .app where loss != .systemRestarted: board.appWasLost()
        case .app, nil: break
        }
    }

    /// An app takes the session over, and shows its transfers itself.
    func takeNotificationsAway() {
        guard let startNotification, board.settings?.showsWhileAppIsHere == false else { return }
        for (key, slot) in board.slots {
            guard let shown = slot.shown, slot.text == nil else { continue }
            startNotification(NotificationOrder(key, .close(shown)))
        }
    }
}

extension TransferState {
    /// Whether "try again" means this transfer.
    fileprivate var waitsForTrying: Bool {
        switch self {
        case .failed: true
        case .waiting(let waiting): waiting.reason == .credentials
        case .running, .awaitingResponse, .paused, .succeeded, .cancelled: false
        }
    }

    /// Whether the rules hold it back, and a person may override them.
    fileprivate var isHeldBack: Bool {
        guard case .waiting(let waiting) = self else { return false }
        return waiting.reason != .credentials && NotificationPolicy.needsPerson(waiting)
    }
}
