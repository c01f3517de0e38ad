package import LonghaulCore
import LonghaulIPC

/// Credentials and URLs, over the connection.
extension ServiceConnection {
    /// Stores a credential in the service's memory, for the origin of the URL.
    package func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String, in session: SessionID
    ) async throws(TransferFailure) {
        guard case .credentials = try await send(.provideCredential(name, url: url, credential), of: session) else {
            throw .unexpectedAnswer
        }
    }

    /// Sets the command that supplies a session's credentials; empty for none.
    package func setCredentialHelper(
        _ command: [String], of session: SessionID
    ) async throws(TransferFailure) -> CredentialReport {
        guard case .credentials(let report) = try await send(.setCredentialHelper(command), of: session) else {
            throw .unexpectedAnswer
        }
        return report
    }

    /// Returns the status of a session's credentials.
    package func credentials(of session: SessionID) async throws(TransferFailure) -> CredentialReport {
        guard case .credentials(let report) = try await send(.credentials, of: session) else { throw .unexpectedAnswer }
        return report
    }

    /// Changes a transfer's URL, and its headers if they are given. Fails if the session refuses.
    package func replaceURL(
        of id: TransferID, with url: String, headers: [HeaderField]?, in session: SessionID
    ) async throws(TransferFailure) {
        guard case .controlled(let answer) = try await send(.replaceURL(id, url: url, headers: headers), of: session)
        else { throw .unexpectedAnswer }
        if let refusal = answer.refusals.first { throw refusal.failure }
    }

    /// Trusts a server's key for a transfer, which continues. Fails if the session refuses.
    package func trust(
        _ key: TrustedKey, for id: TransferID, in session: SessionID
    ) async throws(TransferFailure) {
        guard case .controlled(let answer) = try await send(.trust(id, key), of: session) else {
            throw .unexpectedAnswer
        }
        if let refusal = answer.refusals.first { throw refusal.failure }
    }

    /// Sends the session's credential requests to this process while the feed is held.
    package func openCredentialFeed(of session: SessionID) -> CredentialFeed {
        CredentialFeed(self, core.open(.provideCredentials(session), as: OpenStream.credentials))
    }
}
