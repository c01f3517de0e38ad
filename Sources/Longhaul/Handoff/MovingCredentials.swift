import LonghaulClient

/// Credentials and URLs of a session that changes hands: whoever runs it asks the app.
extension MovingBackend {
    func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String
    ) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in
            try await backend.provideCredential(credential, named: name, for: url)
        }
    }

    func setCredentialHelper(_ command: [String]) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.setCredentialHelper(command) }
    }

    func credentials() async throws(TransferFailure) -> CredentialReport {
        try await ask { backend throws(TransferFailure) in try await backend.credentials() }
    }

    func replaceURL(of id: TransferID, with url: String, headers: [HeaderField]?) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in
            try await backend.replaceURL(of: id, with: url, headers: headers)
        }
    }

    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)? {
        await gate.enterCall()
        defer { gate.leaveCall() }
        switch place {
        case .here(let session as any SessionBackend), .there(let session as any SessionBackend):
            guard let feed = try await session.credentialFeed() else { return nil }
            return MovingCredentialFeed(backend: self, feed: feed)
        case .nowhere:
            let channel = CredentialChannel()
            idleStreams.append { channel.end(.success(nil)) }
            return MovingCredentialFeed(backend: self, feed: IdleCredentialFeed(channel: channel))
        case .closed: return nil
        }
    }
}

/// Questions that end with a failure which says "ask for them again" when the session moves.
private struct MovingCredentialFeed: CredentialFeed {
    let backend: MovingBackend
    let feed: any CredentialFeed

    func next() async throws(TransferFailure) -> CredentialQuestion? {
        if let question = try await feed.next() { return question }
        if Task.isCancelled { return nil }
        if await backend.isClosed { return nil }
        throw TransferFailure(.serviceUnavailable, "The session is run by another process now. Attach to it again.")
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
        try await channel.next().get()
    }

    func answer(_ question: UInt64, _ credential: Credential?) {}

    func end() {
        channel.end(.success(nil))
    }
}
