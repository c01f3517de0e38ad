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

    func attend() async throws(TransferFailure) -> (any NewsFeed)? {
        await gate.enterCall()
        defer { gate.leaveCall() }
        switch place {
        case .here(let session as any SessionBackend), .there(let session as any SessionBackend):
            guard let feed = try await session.attend() else { return nil }
            return MovingStream(backend: self) { () async throws(TransferFailure) in try await feed.next() }
        case .nowhere: return idleStream(of: Int64.self)
        case .closed: return nil
        }
    }

    /// Tells nothing, for as long as nobody runs the session.
    func idleStream<News>(of type: News.Type) -> MovingStream<News> {
        let channel = NewsChannel<News>()
        idleStreams.append { channel.end(.success(nil)) }
        return MovingStream(backend: self) { () async throws(TransferFailure) in try await channel.next().get() }
    }
}

/// A stream that ends with a failure which says "ask again" when the session moves.
struct MovingStream<News: Sendable>: Sendable {
    let backend: MovingBackend
    let read: @Sendable () async throws(TransferFailure) -> News?

    func next() async throws(TransferFailure) -> News? {
        if let news = try await read() { return news }
        if Task.isCancelled { return nil }
        if await backend.isClosed { return nil }
        throw TransferFailure(.serviceUnavailable, "The session is run by another process now. Ask it again.")
    }
}

extension MovingStream: NewsFeed where News == Int64 {}
extension MovingStream: TaskFeed where News == TaskAssignments {}
