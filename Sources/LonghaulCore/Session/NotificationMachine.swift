/// Desktop notifications. The board has the content: it follows the transfers, and the same commit writes it. A
/// notification is shown after this commit, and the store records that it was shown afterwards. After a crash in
/// between, the notification is shown once more and replaces itself.
package struct NotificationMachine: Equatable, Sendable {
    /// How long the service keeps running because the user could click a notification.
    private static let attention = Duration.seconds(86_400)

    package internal(set) var board: NotificationTracker
    /// Whether this process can show notifications. An app cannot, because a notification must outlive the app.
    package var canShow = false
    /// Notifications handed to the server, and their in-memory state.
    package internal(set) var flights: [NotificationKey: NotificationPolicy.Flight] = [:]
    /// Actions that the user chose in a notification and has to confirm. A crash loses the question, and nothing else.
    var questions: [NotificationKey: Question] = [:]
    /// Notifications to decide about again, even if nothing about them changes.
    var waiting: Set<NotificationKey> = []
    /// When to decide about `waiting` again.
    private var checkAgainAt: WallTime?
    /// Notifications about transfers wait until then, because the app may be about to return.
    var heldUntil: WallTime?
    /// The orders of this turn.
    var orders: [NotificationOrder] = []

    struct Question: Equatable, Sendable {
        var action: NotificationAction
        /// The kind of the notification in which the user chose it.
        var kind: NotificationKind?
        /// Whether the question is on the screen.
        var isShown = false
    }

    /// Restores the board that an earlier owner left in the store.
    package init(_ board: NotificationTracker = NotificationTracker()) {
        self.board = board
    }

    /// When a notification is due for another decision.
    package var nextDate: WallTime? { canShow ? checkAgainAt : nil }

    /// Whether the service must keep running for notifications. Notifications that wait for a server do not count: the
    /// next service shows them.
    package func hasWorkAhead(at now: WallTime) -> Bool {
        guard canShow else { return false }
        return board.slots.contains { key, slot in
            let flight = flights[key]
            if flight?.isUnderWay ?? false { return true }
            if slot.text != nil, slot.posted == nil, flight?.isHeld != true { return true }
            return slot.shown.map { $0.at <= now && now - $0.at < Self.attention } ?? false
        }
    }

    /// Whether the user may answer a notification that this process shows.
    var expectsAnswers: Bool {
        canShow && (board.slots.values.contains { $0.shown != nil } || flights.values.contains(where: \.isUnderWay))
    }

    /// Copies the in-memory state of this process's previous loop, which is not in the store.
    package mutating func inherit(from old: NotificationMachine) {
        flights = old.flights
        questions = old.questions
        waiting = old.waiting
        checkAgainAt = old.checkAgainAt
        heldUntil = old.heldUntil
    }

    /// Returns the combined progress of the running transfers that `isMeant` selects.
    package typealias Progress = (_ isMeant: (TransferRecord) -> Bool) -> NotificationContent.Progress

    /// Decides which notifications are shown, once all changes of a turn are known.
    package mutating func endTurn(at now: WallTime, progress: Progress) -> [SessionEffect] {
        if let until = heldUntil, until <= now { heldUntil = nil }
        let keys = board.touched.union(waiting)
        if !keys.isEmpty {
            waiting = []
            checkAgainAt = nil
            if canShow { for key in keys.sorted(by: { $0.name < $1.name }) { decide(key, at: now, progress) } }
        }
        return writeBoard() + handOver(at: now)
    }

    private mutating func decide(_ key: NotificationKey, at now: WallTime, _ progress: Progress) {
        guard let slot = board.slots[key] else { return }
        if slot.tally.live == 0 || board.isHidden { questions[key] = nil }
        if let date = patience(for: key, slot, at: now) { return checkAgain(key, at: date) }
        let wanted = wanted(key, slot, progress)
        let flight = flights[key] ?? NotificationPolicy.Flight()
        switch NotificationPolicy.step(slot, wanted?.headline, wanted?.content, flight, now: now) {
        case .nothing: if wanted == nil, !flight.isUnderWay { board.recordClosed(key) }
        case .post:
            guard let wanted else { preconditionFailure("nothing is posted only when there is something to say") }
            orders.append(NotificationOrder(key, .post(wanted.content, wanted.headline, replacing: slot.shown)))
        case .close:
            orders.append(NotificationOrder(key, .close(slot.shown)))
            board.recordClosing(key)
        case .wait(let date): return checkAgain(key, at: date)
        }
        if let shown = slot.shown, shown.at <= now, now - shown.at < Self.attention {
            checkAgain(key, at: shown.at + Self.attention)
        }
    }

    private mutating func writeBoard() -> [SessionEffect] {
        guard !board.touched.isEmpty else { return [] }
        let writes = board.touched.sorted { $0.name < $1.name }.map { key in
            let slot = board.slots[key]
            return SessionEffect.write(.notificationSlot(key, slot?.isEmpty ?? true ? nil : slot))
        }
        board.recordWritten()
        flights = flights.filter { board.slots[$0.key] != nil || $0.value.isUnderWay }
        return writes
    }

    /// Returns this turn's orders, which are in flight as soon as the turn is on disk.
    private mutating func handOver(at now: WallTime) -> [SessionEffect] {
        defer { orders = [] }
        for order in orders { flights[order.key, default: NotificationPolicy.Flight()].begin(order.act, at: now) }
        return orders.map(SessionEffect.show)
    }

    private mutating func checkAgain(_ key: NotificationKey, at date: WallTime) {
        waiting.insert(key)
        checkAgainAt = checkAgainAt.map { min($0, date) } ?? date
    }

    /// Returns until when the decision about a slot is postponed.
    private func patience(for key: NotificationKey, _ slot: NotificationSlot, at now: WallTime) -> WallTime? {
        if case .text = key {
            guard slot.posted == nil, let date = slot.text?.deliverAt else { return nil }
            return date > now ? date : nil
        }
        return board.isHidden ? nil : heldUntil
    }

    private func wanted(
        _ key: NotificationKey, _ slot: NotificationSlot, _ progress: Progress
    ) -> (headline: NotificationHeadline, content: NotificationContent)? {
        guard let settings = board.settings else { return nil }
        if case .text = key {
            guard let text = slot.text else { return nil }
            return (NotificationHeadline(kind: nil, count: 0), NotificationContent(text, settings))
        }
        if let question = questions[key] {
            let count = slot.tally.live
            let subject = question.kind.flatMap(slot.tally.subject)
            return (
                NotificationHeadline(kind: nil, count: count),
                NotificationContent(confirming: question.action, of: subject, count: count, settings)
            )
        }
        guard !board.isHidden, let headline = NotificationPolicy.headline(slot.tally, settings.kinds),
            let kind = headline.kind
        else { return nil }
        let moved = progress { board.key(of: $0) == key }
        return (headline, NotificationContent(headline, kind, slot.tally, settings, moved))
    }
}

extension NotificationPolicy.Flight {
    fileprivate mutating func begin(_ act: NotificationOrder.Act, at now: WallTime) {
        switch act {
        case .post(let content, let headline, _): (self.content, self.headline, at) = (content, headline, now)
        case .close: (content, headline) = (nil, nil)
        case .watch: return
        }
        isUnderWay = true
        isHeld = false
    }
}
