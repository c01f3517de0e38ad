/// Telling a person. What is to be told is in the board, which follows the transfers and is written with them; showing it
/// comes after the commit, and that it is shown is written after that. Whoever dies in between shows it once more, in
/// place of itself.
package struct NotificationMachine: Equatable, Sendable {
    /// How long the service stays because somebody could click on what is shown.
    private static let attention = Duration.seconds(86_400)

    package internal(set) var board: NotificationBoard
    /// Whether this process can show anything. An app cannot: a notification has to stay when the app is gone.
    package var canShow = false
    /// What is handed over, and what else is known of it only while the process lives.
    package internal(set) var flights: [NotificationKey: NotificationPolicy.Flight] = [:]
    /// To be looked at again although nothing may have happened to them.
    var waiting: Set<NotificationKey> = []
    /// When that is.
    private var lookAgainAt: WallTime?
    /// The app may be about to come back: nothing about transfers is shown before this.
    var heldUntil: WallTime?
    /// What is ordered in this turn.
    var orders: [NotificationOrder] = []

    /// As an earlier owner left it in the store.
    package init(_ board: NotificationBoard = NotificationBoard()) {
        self.board = board
    }

    /// When a notification has to be looked at again by itself.
    package var nextDate: WallTime? { canShow ? lookAgainAt : nil }

    /// Whether the service has to stay for the sake of notifications. What waits for a server to show it is shown by the
    /// next service as well.
    package func hasWorkAhead(at now: WallTime) -> Bool {
        guard canShow else { return false }
        return board.slots.contains { key, slot in
            let flight = flights[key]
            if flight?.isUnderWay ?? false { return true }
            if slot.text != nil, slot.posted == nil, flight?.isHeld != true { return true }
            return slot.shown.map { $0.at <= now && now - $0.at < Self.attention } ?? false
        }
    }

    /// Takes over what another loop of this process knew beyond the store.
    package mutating func inherit(from old: NotificationMachine) {
        flights = old.flights
        waiting = old.waiting
        lookAgainAt = old.lookAgainAt
        heldUntil = old.heldUntil
    }

    /// Tells how far the running transfers are, together, that are meant.
    package typealias Progress = (_ isMeant: (TransferRecord) -> Bool) -> NotificationContent.Progress

    /// Decides what is shown, once all changes of a turn are known.
    package mutating func settle(at now: WallTime, progress: Progress) -> [SessionEffect] {
        if let until = heldUntil, until <= now { heldUntil = nil }
        let keys = board.touched.union(waiting)
        if !keys.isEmpty {
            waiting = []
            lookAgainAt = nil
            if canShow { for key in keys.sorted(by: { $0.name < $1.name }) { decide(key, at: now, progress) } }
        }
        return writeBoard() + handOver(at: now)
    }

    private mutating func decide(_ key: NotificationKey, at now: WallTime, _ progress: Progress) {
        guard let slot = board.slots[key] else { return }
        if let date = patience(for: key, slot, at: now) { return lookAgain(key, at: date) }
        let wanted = wanted(key, slot, progress)
        let flight = flights[key] ?? NotificationPolicy.Flight()
        switch NotificationPolicy.step(slot, wanted?.headline, wanted?.content, flight, now: now) {
        case .nothing: if wanted == nil, !flight.isUnderWay { board.noteClosed(key) }
        case .post:
            guard let wanted else { preconditionFailure("nothing is posted only when there is something to say") }
            orders.append(NotificationOrder(key, .post(wanted.content, wanted.headline, replacing: slot.shown)))
        case .close:
            orders.append(NotificationOrder(key, .close(slot.shown)))
            board.noteClosing(key)
        case .wait(let date): return lookAgain(key, at: date)
        }
        if let shown = slot.shown, shown.at <= now, now - shown.at < Self.attention {
            lookAgain(key, at: shown.at + Self.attention)
        }
    }

    private mutating func writeBoard() -> [SessionEffect] {
        guard !board.touched.isEmpty else { return [] }
        let writes = board.touched.sorted { $0.name < $1.name }.map { key in
            let slot = board.slots[key]
            return SessionEffect.write(.notificationSlot(key, slot?.isEmpty ?? true ? nil : slot))
        }
        board.noteWritten()
        flights = flights.filter { board.slots[$0.key] != nil || $0.value.isUnderWay }
        return writes
    }

    /// What was ordered is under way as soon as the turn is on disk.
    private mutating func handOver(at now: WallTime) -> [SessionEffect] {
        defer { orders = [] }
        for order in orders { flights[order.key, default: NotificationPolicy.Flight()].begin(order.act, at: now) }
        return orders.map(SessionEffect.show)
    }

    private mutating func lookAgain(_ key: NotificationKey, at date: WallTime) {
        waiting.insert(key)
        lookAgainAt = lookAgainAt.map { min($0, date) } ?? date
    }

    /// Until when nothing is decided about a slot.
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
