import LonghaulSystem

/// The streams of a session that changes its owner. Their source is the session's store, so they continue with each owner.
extension MovingBackend {
    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any SessionFeed<WatchUpdate>)? {
        try await feed(WatchChannel.self) { backend throws(TransferFailure) in try await backend.watch(selection) }
    }

    func attend() async throws(TransferFailure) -> (any SessionFeed<Int64>)? {
        try await feed(LatestValueChannel<Int64>.self) { backend throws(TransferFailure) in try await backend.attend() }
    }

    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any SessionFeed<TaskAssignments>)? {
        try await feed(LatestValueChannel<TaskAssignments>.self) { backend throws(TransferFailure) in
            try await backend.runTasks(runner)
        }
    }

    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)? {
        let begun = try await begin { backend throws(TransferFailure) in
            try await backend.credentialFeed()
        } idle: {
            IdleCredentialFeed(channel: idleChannel(CredentialChannel.self))
        }
        return begun.map { MovingCredentialFeed(backend: self, feed: $0.feed, moves: $0.moves) }
    }

    private func feed<Buffer>(
        _ kind: StreamChannel<Buffer>.Type,
        _ open: (any SessionBackend) async throws(TransferFailure) -> (any SessionFeed<Buffer.Element>)?
    ) async throws(TransferFailure) -> (any SessionFeed<Buffer.Element>)? {
        let begun = try await begin(open) { idleChannel(kind) }
        return begun.map { MovingFeed(backend: self, feed: $0.feed, moves: $0.moves) }
    }

    /// Returns the next element of a stream that began after the given number of moves. If the stream ends because the session has moved,
    /// the failure asks the caller to retry. The same applies if the service gave the session back before the request arrived.
    fileprivate func next<Element: Sendable>(
        since moves: Int, _ next: () async throws(TransferFailure) -> Element?
    ) async throws(TransferFailure) -> Element? {
        do throws(TransferFailure) {
            if let element = try await next() { return element }
        } catch {
            guard error.code == .sessionInUse, await hasMoved(since: moves) else { throw error }
        }
        if Task.isCancelled || isClosed { return nil }
        throw TransferFailure(.serviceUnavailable, "Another process runs the session now. Send the request again.")
    }
}

private struct MovingFeed<Element: Sendable>: SessionFeed {
    let backend: MovingBackend
    let feed: any SessionFeed<Element>
    let moves: Int

    func next() async throws(TransferFailure) -> Element? {
        try await backend.next(since: moves) { () async throws(TransferFailure) in try await feed.next() }
    }
}

private struct MovingCredentialFeed: CredentialFeed {
    let backend: MovingBackend
    let feed: any CredentialFeed
    let moves: Int

    func next() async throws(TransferFailure) -> CredentialQuestion? {
        try await backend.next(since: moves) { () async throws(TransferFailure) in try await feed.next() }
    }

    func answer(_ question: UInt64, _ credential: Credential?) {
        feed.answer(question, credential)
    }

    func end() {
        feed.end()
    }
}

/// A feed without requests, while no process runs the session.
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
