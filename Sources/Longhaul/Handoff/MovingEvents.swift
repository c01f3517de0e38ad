import LonghaulClient
import LonghaulIPC

/// Events of a session that moves. They are in its store, so their numbers go on wherever it is.
extension MovingBackend {
    func events(after number: Int64) async throws(TransferFailure) -> EventPage {
        try await ask { backend throws(TransferFailure) in try await backend.events(after: number) }
    }

    func acknowledgeEvents(through number: Int64) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.acknowledgeEvents(through: number) }
    }

    func wakeStatus() async throws(TransferFailure) -> WakeStatus {
        try await ask { backend throws(TransferFailure) in try await backend.wakeStatus() }
    }

    func setWake(_ registration: WakeRegistration?) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.setWake(registration) }
    }

    func notifications(_ request: NotificationRequest) async throws(TransferFailure) -> NotificationStatus {
        try await ask { backend throws(TransferFailure) in try await backend.notifications(request) }
    }

    func attend() async throws(TransferFailure) -> (any NewsFeed)? {
        await gate.enterCall()
        defer { gate.leaveCall() }
        switch place {
        case .here(let session as any SessionBackend), .there(let session as any SessionBackend):
            guard let feed = try await session.attend() else { return nil }
            return MovingNews(backend: self, feed: feed)
        case .nowhere:
            let channel = NewsChannel()
            idleNews.append(channel)
            return MovingNews(backend: self, feed: IdleNews(channel: channel))
        case .closed: return nil
        }
    }
}

/// News that end with a failure which says "ask again" when the session moves.
private struct MovingNews: NewsFeed {
    let backend: MovingBackend
    let feed: any NewsFeed

    func next() async throws(TransferFailure) -> Int64? {
        if let newest = try await feed.next() { return newest }
        if Task.isCancelled { return nil }
        if await backend.isClosed { return nil }
        throw TransferFailure(.serviceUnavailable, "The session is run by another process now. Ask it again.")
    }
}

/// Tells nothing, for as long as nobody runs the session.
private struct IdleNews: NewsFeed {
    let channel: NewsChannel

    func next() async throws(TransferFailure) -> Int64? {
        try await channel.next().get()
    }
}
