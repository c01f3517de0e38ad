import LonghaulClient
import LonghaulIPC

/// The streams of a session that changes hands. What they tell is in its store, so it goes on wherever that is.
extension MovingBackend {
    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any SessionFeed<WatchUpdate>)? {
        try await feed(WatchChannel.self) { backend throws(TransferFailure) in try await backend.watch(selection) }
    }

    func attend() async throws(TransferFailure) -> (any SessionFeed<Int64>)? {
        try await feed(NewsChannel<Int64>.self) { backend throws(TransferFailure) in try await backend.attend() }
    }

    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any SessionFeed<TaskAssignments>)? {
        try await feed(NewsChannel<TaskAssignments>.self) { backend throws(TransferFailure) in
            try await backend.runTasks(runner)
        }
    }

    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)? {
        let feed = try await begin { backend throws(TransferFailure) in
            try await backend.credentialFeed()
        } idle: {
            IdleCredentialFeed(channel: idleChannel(CredentialChannel.self))
        }
        return feed.map { MovingCredentialFeed(backend: self, feed: $0) }
    }

    private func feed<Buffer>(
        _ kind: StreamChannel<Buffer>.Type,
        _ open: (any SessionBackend) async throws(TransferFailure) -> (any SessionFeed<Buffer.Element>)?
    ) async throws(TransferFailure) -> (any SessionFeed<Buffer.Element>)? {
        let feed = try await begin(open) { idleChannel(kind) }
        return feed.map { MovingFeed(backend: self, feed: $0) }
    }

    /// The end of a stream: this one's own, or a failure which says "ask again" when the session has moved.
    fileprivate func end() throws(TransferFailure) {
        if Task.isCancelled || isClosed { return }
        throw TransferFailure(.serviceUnavailable, "The session is run by another process now. Ask it again.")
    }
}

private struct MovingFeed<Element: Sendable>: SessionFeed {
    let backend: MovingBackend
    let feed: any SessionFeed<Element>

    func next() async throws(TransferFailure) -> Element? {
        if let element = try await feed.next() { return element }
        try await backend.end()
        return nil
    }
}

private struct MovingCredentialFeed: CredentialFeed {
    let backend: MovingBackend
    let feed: any CredentialFeed

    func next() async throws(TransferFailure) -> CredentialQuestion? {
        if let question = try await feed.next() { return question }
        try await backend.end()
        return nil
    }

    func answer(_ question: UInt64, _ credential: Credential?) {
        feed.answer(question, credential)
    }

    func end() {
        feed.end()
    }
}

/// Asks nothing, for as long as nobody runs the session.
private struct IdleCredentialFeed: CredentialFeed {
    let channel: CredentialChannel

    func next() async throws(TransferFailure) -> CredentialQuestion? {
        try await channel.next()
    }

    func answer(_ question: UInt64, _ credential: Credential?) {}

    func end() {
        channel.end(.success(nil))
    }
}
