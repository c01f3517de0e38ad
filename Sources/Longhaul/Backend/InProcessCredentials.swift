import LonghaulClient
import LonghaulRuntime

/// Credentials and URLs of a session that this process runs itself.
extension InProcessBackend {
    func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String
    ) async throws(TransferFailure) {
        guard case .credentials = try await ask(.provideCredential(name, url: url, credential)) else {
            throw .unexpectedReply
        }
    }

    func setCredentialHelper(_ command: [String]) async throws(TransferFailure) {
        guard case .credentials = try await ask(.setCredentialHelper(command)) else { throw .unexpectedReply }
    }

    func credentials() async throws(TransferFailure) -> CredentialReport {
        guard case .credentials(let report) = try await ask(.credentials) else { throw .unexpectedReply }
        return report
    }

    func replaceURL(of id: TransferID, with url: String, headers: [HeaderField]?) async throws(TransferFailure) {
        guard case .controlled(let answer) = try await ask(.replaceURL(id, url: url, headers: headers)) else {
            throw .unexpectedReply
        }
        if let refusal = answer.refusals.first { throw refusal.failure }
    }

    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)? {
        let channel = CredentialChannel()
        guard addFeed(channel) else { return nil }
        return Feed(backend: self, channel: channel)
    }

    private final class Feed: CredentialFeed {
        private let backend: InProcessBackend
        private let channel: CredentialChannel
        private let source: ProviderSource
        private let token: ProviderToken

        init(backend: InProcessBackend, channel: CredentialChannel) {
            self.backend = backend
            self.channel = channel
            source = ProviderSource { channel.put($0) }
            token = backend.runtime.addProvider(source)
        }

        deinit {
            end()
        }

        func end() {
            backend.runtime.removeProvider(token)
            source.leave()
            backend.removeFeed(channel)
        }

        func next() async throws(TransferFailure) -> CredentialQuestion? {
            try await channel.next().get()
        }

        func answer(_ question: UInt64, _ credential: Credential?) {
            source.answer(question, credential)
        }
    }
}
