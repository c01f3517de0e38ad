import LonghaulCore
import LonghaulStore

/// What apps ask about events.
extension SessionLoop {
    /// How many events one answer holds.
    private static let pageSize = 256

    /// Somebody wants to be told of events from now on.
    func attach(_ token: WatchToken, _ observer: @escaping @Sendable (Int64) -> Void) throws(TransferFailure) {
        audience.attach(token, observer)
        try feed(.attached(token))
        answer { [weak self] in if let self { observer(session.events.newest) } }
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
        guard let first = try store.events(after: 0, limit: 1).first, first.number <= number else { return }
        try feed(.eventsAcknowledged(through: number))
        try feed(.eventsWritten(store.eventFacts()))
    }

    func setWake(_ registration: WakeRegistration?) throws(TransferFailure) -> SessionReply {
        if let refusal = registration?.refusal { return .failed(refusal) }
        try feed(.wakeRegistered(registration))
        return .wake(try wakeStatus())
    }

    func wakeStatus() throws(TransferFailure) -> WakeStatus {
        session.wakeStatus(pendingEvents: try store.eventCount(), at: now)
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
