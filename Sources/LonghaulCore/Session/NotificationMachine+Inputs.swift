/// Requests for notifications, reports about them, and the presence of the app.
extension NotificationMachine {
    /// How long an app has to return before notifications report its transfers.
    private static let returnTime = Duration.seconds(1)
    /// How long an app has to reconnect after the service restarted.
    private static let restartTime = Duration.seconds(3)
    /// How many of the app's own notifications a session can have, shown or scheduled.
    private static let textLimit = 256

    /// Carries out a client's request.
    mutating func obey(_ request: NotificationRequest) -> [SessionEffect] {
        switch request {
        case .status: return []
        case .set(let settings):
            if let refusal = settings?.refusal { return [.refuse(refusal)] }
            guard settings != board.settings else { return [] }
            let counts = board.set(settings)
            return [.write(.notificationSettings(settings))] + (counts ? [.countNotified] : [])
        case .post(let notification):
            if let refusal = notification.refusal { return [.refuse(refusal)] }
            guard board.settings != nil else { return [.refuse(.noNotifications)] }
            let texts = board.slots.values.count { $0.text != nil }
            guard board.slots[.text(notification.identifier)] != nil || texts < Self.textLimit else {
                return [.refuse(.tooManyNotifications)]
            }
            board.post(notification)
            return []
        case .withdraw(let identifier):
            board.withdraw(identifier)
            return []
        }
    }

    /// Processes a report about a notification. Returns a tap if the user clicks it to open the app.
    mutating func process(
        _ news: NotificationEvent, of key: NotificationKey, at now: WallTime
    ) -> (tap: NotificationTap?, effects: [SessionEffect]) {
        land(news, key)
        // The transfers behind the notification may have changed meanwhile.
        waiting.insert(key)
        switch news {
        case .posted(let headline, let number, let server):
            if headline.kind == nil { questions[key]?.isShown = true }
            board.recordPosted(key, headline, ShownNotification(number: number, server: server, at: now))
        case .refused(let headline):
            if headline.kind == nil { questions[key] = nil }
            board.recordPosted(key, headline, nil)
        case .held: break
        case .closed: board.recordClosed(key)
        case .gone:
            questions[key] = questions[key].flatMap { $0.isShown ? nil : $0 }
            board.recordGone(key)
        case .seen:
            // Most servers close a notification whose button was pressed, before the question replaces it.
            questions[key] = questions[key].flatMap { $0.isShown ? nil : $0 }
            board.recordSeen(key)
        case .invoked(let action, _) where asks(action, key): break
        case .invoked(.open, let token): return (open(key, token), [])
        case .invoked(.pause, _):
            guard board.slots[key] != nil else { break }
            board.recordPausedHere(key)
            return (nil, [.control(.pause, key)])
        case .invoked(.resume, _): return (nil, control(.resume, key))
        case .invoked(.cancel, _): return (nil, control(.cancel, key))
        case .invoked(.retry, _): return (nil, control(.retry, key))
        }
        return (nil, [])
    }

    /// Asks before an action that loses bytes. Returns `false` if there is nothing to ask, or if the user has confirmed.
    private mutating func asks(_ action: NotificationAction, _ key: NotificationKey) -> Bool {
        let confirmed = questions[key].map { $0.isShown && $0.action == action } ?? false
        let losesBytes = action == .cancel || (action == .pause && flights[key]?.content?.losesBytesWhenPaused == true)
        guard losesBytes, !confirmed, let slot = board.slots[key] else {
            questions[key] = nil
            return false
        }
        questions[key] = Question(action: action, kind: slot.posted?.kind)
        return true
    }

    private mutating func land(_ news: NotificationEvent, _ key: NotificationKey) {
        switch news {
        case .posted, .refused, .closed:
            flights[key]?.isUnderWay = false
            flights[key]?.isHeld = false
        case .held:
            flights[key]?.isUnderWay = false
            flights[key]?.isHeld = true
        case .gone, .seen, .invoked: break
        }
    }

    private func control(_ verb: ControlVerb, _ key: NotificationKey) -> [SessionEffect] {
        board.slots[key] == nil ? [] : [.control(verb, key)]
    }

    private mutating func open(_ key: NotificationKey, _ token: String) -> NotificationTap? {
        guard let slot = board.slots[key] else { return nil }
        let kind = slot.posted?.kind
        let subject = kind.flatMap(slot.tally.subject)
        // Most servers have closed the notification by now.
        if slot.shown != nil { orders.append(NotificationOrder(key, .close(slot.shown))) }
        board.recordSeen(key)
        return NotificationTap(
            identifier: key.identifier, kind: kind, transfer: slot.text?.transfer ?? subject?.transfer,
            activationToken: token)
    }

    /// Tracks the presence of the app. An app that runs the session itself is present while the session is open, unless the system may
    /// launch it in the background.
    mutating func update(isAppHere: Bool, at now: WallTime) {
        guard isAppHere != board.isAppHere else { return }
        if isAppHere {
            board.appArrived()
        } else {
            board.appLeft()
            heldUntil = now + Self.returnTime
        }
    }

    /// Takes over the session for this process. An app shows no notifications; for the service, the previous owner decides.
    mutating func takeOver(
        as kind: SessionOwner.Kind, from former: SessionOwner.Kind?, _ loss: OwnerLossReason?, at now: WallTime
    ) {
        let shown = board.slots.compactMap { key, slot in slot.shown.map { (key, $0) } }
            .sorted { $0.0.name < $1.0.name }
        guard kind == .service || canShow else {
            board.appArrived()
            // A process that cannot show notifications cannot close them either.
            for (key, _) in shown { board.recordGone(key) }
            return
        }
        for (key, notification) in shown { orders.append(NotificationOrder(key, .watch(notification))) }
        guard kind == .service else { return }
        switch former {
        case .service: heldUntil = now + Self.restartTime
        case .app where loss == nil: board.appLeft()
        case .app where loss != .systemRestarted: board.appWasLost()
        case .app, nil: break
        }
    }

    /// The notifications to close if an app takes over the session and shows its transfers itself.
    package var ordersOfFarewell: [NotificationOrder] {
        guard canShow, board.settings?.showsWhileAppIsOpen == false else { return [] }
        return board.slots.sorted { $0.key.name < $1.key.name }.compactMap { key, slot in
            slot.shown.flatMap { slot.text == nil ? NotificationOrder(key, .close($0)) : nil }
        }
    }

    /// The status for clients.
    package var status: NotificationStatus {
        var status = NotificationStatus()
        status.settings = board.settings
        status.pending = board.slots.values.compactMap { $0.posted == nil ? $0.text : nil }
        status.pending.sort { $0.identifier < $1.identifier }
        status.shown = board.slots.values.count { $0.shown != nil }
        status.lacksServer = flights.values.contains(where: \.isHeld)
        return status
    }
}

extension TransferRecord {
    /// Whether a control on a notification applies to this transfer.
    package func isMeant(by verb: ControlVerb) -> Bool {
        guard verb == .retry else { return !state.isEnded }
        switch state {
        case .failed: return true
        case .waiting(let waiting): return waiting.reason == .credentials
        case .running, .awaitingResponse, .paused, .succeeded, .cancelled: return false
        }
    }

    /// Whether the rules delay the transfer, and the user may override them.
    package var isHeldBack: Bool {
        guard case .waiting(let waiting) = state else { return false }
        return waiting.reason != .credentials && NotificationPolicy.needsPerson(waiting)
    }
}

extension TransferFailure {
    fileprivate static let noNotifications = TransferFailure(
        .invalidState, "The session has no notification settings. Set them first, with the app's name.")
    fileprivate static let tooManyNotifications = TransferFailure(
        .invalidState,
        "The session already has 256 notifications of the app, which is the limit. Withdraw some, or reuse an identifier."
    )
}
