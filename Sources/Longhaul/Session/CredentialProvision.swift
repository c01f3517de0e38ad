import LonghaulCore

/// This process's answers to the credential requests of a session, until ``end()`` or the release of the value.
package final class CredentialProvision: Sendable {
    private let task: Task<Void, Never>

    init(
        backend: any SessionBackend, feed: any CredentialFeed,
        give: @escaping @Sendable (CredentialRequest) async -> Credential?
    ) {
        task = Task { await Self.serve(feed, backend, give) }
    }

    deinit {
        task.cancel()
    }

    /// Stops answering. Open requests count as answered with no credential.
    package func end() {
        task.cancel()
    }

    /// Continues with a new feed after a restart of the service.
    private static func serve(
        _ first: any CredentialFeed, _ backend: any SessionBackend,
        _ give: @escaping @Sendable (CredentialRequest) async -> Credential?
    ) async {
        var feed: (any CredentialFeed)? = first
        var pause = 50
        while !Task.isCancelled {
            let beginning = ContinuousClock.now
            do throws(TransferFailure) {
                if feed == nil {
                    feed = try await backend.credentialFeed()
                    guard feed != nil else { return }
                }
                guard let current = feed else { return }
                return try await answer(current, give)
            } catch {
                feed = nil
                if ContinuousClock.now - beginning > .seconds(10) { pause = 50 }
                // A pause cut short by a cancellation needs no handling.
                try? await Task.sleep(for: .milliseconds(pause))
                pause = min(2 * pause, 5_000)
            }
        }
    }

    /// Returns when the session was closed or the task was cancelled.
    private static func answer(
        _ feed: any CredentialFeed, _ give: @escaping @Sendable (CredentialRequest) async -> Credential?
    ) async throws(TransferFailure) {
        let ending = await withDiscardingTaskGroup { group in
            while true {
                let question: CredentialQuestion?
                do throws(TransferFailure) {
                    question = try await feed.next()
                } catch {
                    group.cancelAll()
                    return Result<Void, TransferFailure>.failure(error)
                }
                guard let question else {
                    // Before waiting for the requests that still look for an answer.
                    feed.end()
                    group.cancelAll()
                    return .success(())
                }
                group.addTask { feed.answer(question.number, await give(question.request)) }
            }
        }
        try ending.get()
    }
}
