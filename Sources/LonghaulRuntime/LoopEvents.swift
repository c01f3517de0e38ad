import LonghaulCore
import LonghaulStore

/// What an app has to know: written in the same transaction as the change that it tells of, and kept until acknowledged.
extension SessionLoop {
    /// How many events one answer holds.
    private static let pageSize = 256

    /// Reads what earlier owners left.
    func openBook() throws(TransferFailure) {
        book.keepsEvents = try store.keepsEvents()
        book.registration = try store.wakeRegistration()
        book.record = try store.wakeRecord()
        book.newest = try store.newestEventNumber()
        book.saysAllFinished = try store.hasEvent(.allTransfersFinished)
        book.occasion = try store.newestWakingEvent()
    }

    /// Somebody wants to be told of events from now on.
    func attach(_ token: WatchToken, _ observer: @escaping Attendance.Observer) throws(TransferFailure) {
        attendance.add(token, observer)
        noteAttendance()
        try keepEvents()
        answer { [self] in observer(book.newest) }
    }

    func keepEvents() throws(TransferFailure) {
        guard !book.keepsEvents else { return }
        try beginWriting()
        try store.keepEvents()
        book.keepsEvents = true
    }

    /// What has become of a transfer, when that is something to know.
    func noteEvents(of record: TransferRecord, since earlier: TransferRecord) throws(TransferFailure) {
        guard book.keepsEvents, record.state != earlier.state else { return }
        batch.touchesEvents = true
        if record.state.isEnded {
            batch.hasEnded = true
            try add(.transferFinished, record.id, wakes: record.spec.options.wakesAppWhenFinished)
        } else if earlier.state.isEnded {
            try store.withdrawEvents(.transferFinished, of: record.id)
        }
        switch (earlier.state.needsCredentials, record.state.needsCredentials) {
        case (false, true): try add(.needsCredentials, record.id, wakes: true)
        case (true, false): try store.withdrawEvents(.needsCredentials, of: record.id)
        case (false, false), (true, true): break
        }
    }

    /// A transfer is new: what was said about all of them is not true any more.
    func noteSubmission() {
        if book.saysAllFinished { batch.touchesEvents = true }
    }

    /// A transfer is forgotten, and what there was to know of it.
    func noteRemoval(_ id: TransferID) throws(TransferFailure) {
        guard book.keepsEvents else { return }
        batch.touchesEvents = true
        batch.hasRemoved = true
        try store.withdrawEvents(of: id)
    }

    /// Once all changes of a turn are known: whether all transfers have ended, and what the app has to be started for.
    func settleEvents() throws(TransferFailure) {
        guard batch.touchesEvents else { return }
        let totals = store.totals()
        let live = totals.waiting + totals.running + totals.paused
        let ended = totals.succeeded + totals.failed + totals.cancelled
        if live == 0, ended > 0 {
            if batch.hasEnded {
                try add(.allTransfersFinished, nil, wakes: true)
                book.saysAllFinished = true
            }
        } else if book.saysAllFinished {
            try beginWriting()
            try store.withdrawEvents(.allTransfersFinished, of: nil)
            book.saysAllFinished = false
        }
        let hadOccasion = book.occasion != nil
        book.occasion = try store.newestWakingEvent()
        if batch.hasRemoved { try noteAnswer(hadOccasion) }
    }

    func events(after number: Int64) throws(TransferFailure) -> EventPage {
        let records = try store.events(after: number, limit: Self.pageSize + 1)
        var page = EventPage(hasMore: records.count > Self.pageSize)
        for record in records.prefix(Self.pageSize) {
            if let kind = try kind(of: record) {
                page.events.append(SessionEvent(number: record.number, at: record.at, kind: kind))
            }
        }
        return page
    }

    func acknowledgeEvents(through number: Int64) throws(TransferFailure) {
        guard try !store.events(after: 0, limit: 1).filter({ $0.number <= number }).isEmpty else { return }
        try beginWriting()
        try store.acknowledgeEvents(through: number)
        let hadOccasion = book.occasion != nil
        book.saysAllFinished = try store.hasEvent(.allTransfersFinished)
        book.occasion = try store.newestWakingEvent()
        try noteAnswer(hadOccasion)
    }

    /// When nothing is left to start the app for, its starts were not in vain.
    private func noteAnswer(_ hadOccasion: Bool) throws(TransferFailure) {
        guard hadOccasion, book.occasion == nil, book.record.unanswered > 0 else { return }
        try setWakeRecord(WakePolicy.noteAcknowledgement(book.record))
    }

    /// Tells those who are attached, after the commit.
    func tellNews(since earlier: EventBook) {
        guard book.newest != earlier.newest else { return }
        for observer in attendance.observers.values { observer(book.newest) }
    }

    /// A person asks for the app.
    func noteTap(_ tap: NotificationTap) throws(TransferFailure) {
        guard book.keepsEvents else { return }
        batch.touchesEvents = true
        try beginWriting()
        book.newest = try store.addEvent(
            .notificationTapped, transfer: nil, tap: tap, wakes: true, at: environment.now())
    }

    private func add(_ kind: EventRecord.Kind, _ transfer: TransferID?, wakes: Bool) throws(TransferFailure) {
        try beginWriting()
        book.newest = try store.addEvent(kind, transfer: transfer, wakes: wakes, at: environment.now())
    }

    /// `nil` for an event about a transfer that is gone, which does not happen: its events go with it.
    private func kind(of record: EventRecord) throws(TransferFailure) -> SessionEvent.Kind? {
        switch record.kind {
        case .allTransfersFinished: return .allTransfersFinished
        case .notificationTapped: return record.tap.map(SessionEvent.Kind.notificationTapped)
        case .transferFinished, .needsCredentials:
            guard let id = record.transfer, let transfer = try transfer(id)?.record else { return nil }
            let now = snapshot(of: transfer)
            return record.kind == .transferFinished ? .transferFinished(now) : .needsCredentials(now)
        }
    }
}

extension TransferState {
    fileprivate var needsCredentials: Bool {
        if case .waiting(let waiting) = self {
            waiting.reason == .credentials && !waiting.isBeingAnswered
        } else {
            false
        }
    }
}
