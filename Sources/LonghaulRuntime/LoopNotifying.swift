import LonghaulCore
import LonghaulStore

/// Telling a person. What is to be told is in the board, which follows the records and is written with them; showing it
/// comes after the commit, and that it is shown is written after that. Whoever dies in between shows it once more, in
/// place of itself.
extension SessionLoop {
    /// How long the service stays because somebody could click on what is shown.
    private static let attention = Span.seconds(86_400)

    /// When a notification has to be looked at again by itself.
    var nextNotification: WallTime? { startNotification == nil ? nil : notices.lookAgainAt }

    /// Whether the service has to stay for the sake of notifications. What waits for a server to show it is shown by the
    /// next service as well.
    var hasNotificationAhead: Bool {
        guard startNotification != nil else { return false }
        let now = environment.now()
        return board.slots.contains { key, slot in
            let flight = notices.flights[key]
            if flight?.isUnderWay ?? false { return true }
            if slot.text != nil, slot.posted == nil, flight?.isHeld != true { return true }
            return slot.shown.map { $0.at <= now && now - $0.at < Self.attention } ?? false
        }
    }

    /// Decides in the turn's transaction; showing comes after the commit.
    func decideNotifications() throws(TransferFailure) {
        let now = environment.now()
        if let until = notices.heldUntil, until <= now { notices.heldUntil = nil }
        let keys = board.touched.union(notices.waiting)
        guard !keys.isEmpty else { return }
        notices.waiting = []
        notices.lookAgainAt = nil
        if startNotification != nil {
            for key in keys { decide(key, at: now) }
        }
        guard !board.touched.isEmpty else { return }
        try beginWriting()
        for key in board.touched {
            let slot = board.slots[key]
            try store.setNotificationSlot(key, slot?.isEmpty ?? true ? nil : slot)
        }
        board.noteWritten()
        notices.flights = notices.flights.filter { board.slots[$0.key] != nil || $0.value.isUnderWay }
    }

    private func decide(_ key: NotificationKey, at now: WallTime) {
        guard let slot = board.slots[key] else { return }
        if let date = patience(for: key, slot, at: now) { return lookAgain(key, at: date) }
        let wanted = wanted(key, slot)
        let flight = notices.flights[key] ?? NotificationPolicy.Flight()
        switch NotificationPolicy.step(slot, wanted?.headline, wanted?.content, flight, now: now) {
        case .nothing: if wanted == nil, !flight.isUnderWay { board.noteClosed(key) }
        case .post:
            guard let wanted else { preconditionFailure("nothing is posted only when there is something to say") }
            batch.notifications.append(
                NotificationOrder(key, .post(wanted.content, wanted.headline, replacing: slot.shown)))
        case .close:
            batch.notifications.append(NotificationOrder(key, .close(slot.shown)))
            board.noteClosing(key)
        case .wait(let date): return lookAgain(key, at: date)
        }
        if let shown = slot.shown, shown.at <= now, now - shown.at < Self.attention {
            lookAgain(key, at: shown.at + Self.attention)
        }
    }

    private func lookAgain(_ key: NotificationKey, at date: WallTime) {
        notices.waiting.insert(key)
        notices.lookAgainAt = notices.lookAgainAt.map { min($0, date) } ?? date
    }

    /// Until when nothing is decided about a slot.
    private func patience(for key: NotificationKey, _ slot: NotificationSlot, at now: WallTime) -> WallTime? {
        if case .text = key {
            guard slot.posted == nil, let date = slot.text?.deliverAt else { return nil }
            return date > now ? date : nil
        }
        return board.isHidden ? nil : notices.heldUntil
    }

    private func wanted(
        _ key: NotificationKey, _ slot: NotificationSlot
    ) -> (headline: NotificationHeadline, content: NotificationContent)? {
        guard let settings = board.settings else { return nil }
        if case .text = key {
            guard let text = slot.text else { return nil }
            return (NotificationHeadline(kind: nil, count: 0), NotificationContent(text, settings))
        }
        guard !board.isHidden, let headline = NotificationPolicy.headline(slot.tally, settings.kinds),
            let kind = headline.kind
        else { return nil }
        return (headline, NotificationContent(headline, kind, slot.tally, settings, progress(of: key)))
    }

    /// How far the running transfers of a slot are, together.
    private func progress(of key: NotificationKey) -> NotificationContent.Progress {
        let millionths = live.values.reduce(into: Int64(0)) { sum, transfer in
            guard board.key(of: transfer.record) == key else { return }
            let now = snapshot(of: transfer.record)
            guard let total = now.bytesTotal, total > 0 else { return }
            sum += Int64(Double(min(now.bytesDone, total)) / Double(total) * 1_000_000)
        }
        return NotificationContent.Progress(millionths: millionths)
    }
}
