import LonghaulRuntime
import LonghaulSystem

/// Credentials of a session that this process runs itself.
extension InProcessBackend {

    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)? {
        let channel = CredentialChannel()
        guard register(channel) else { return nil }
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
            source.close()
            _ = backend.forget(channel)
        }

        func next() async throws(TransferFailure) -> CredentialQuestion? {
            try await channel.next()
        }

        func answer(_ question: UInt64, _ credential: Credential?) {
            source.answer(question, credential)
        }
    }
}
