import Synchronization

/// Credentials that transfers name instead of containing them, and URLs that expire.
///
/// A transfer with `options.credential` stores no secret. The session requests the credential when the transfer is sent, keeps it in
/// memory only, and sends it only to the origin that it was requested for. If the server refuses it (401), the session requests it
/// again, once for all transfers that wait for it. See <doc:Credentials>.
extension TransferSession {
    /// Sets the function that provides this session's credentials while this process has the session open; `nil` for none.
    ///
    /// Longhaul calls `provider` for each credential that it needs, on any task; several calls can run at once, for different
    /// credentials. The call may take any time, for example to ask the user: the transfers that wait do not occupy a slot. Return
    /// `nil` if the credential does not exist. A credential helper of the session comes first. Setting a provider repeats the
    /// requests of all transfers that wait for credentials.
    public func setCredentialProvider(
        _ provider: (@Sendable (CredentialRequest) async -> Credential?)?
    ) async throws(TransferFailure) {
        let provision: CredentialProvision? =
            if let provider { try await provideCredentials(provider) } else { nil }
        credentials.withLock { $0 = provision }
    }

    package func provideCredentials(
        _ give: @escaping @Sendable (CredentialRequest) async -> Credential?
    ) async throws(TransferFailure) -> CredentialProvision {
        guard let feed = try await backend.credentialFeed() else { throw .sessionClosed }
        return CredentialProvision(backend: backend, feed: feed, give: give)
    }

    /// Provides one credential in advance, for the origin of `url`. Transfers that wait for it continue.
    ///
    /// The credential is kept in memory only. When the process that runs the session has ended, the session requests it again. Fails
    /// with `invalidArgument` for a name or a credential that cannot be sent.
    public func provideCredential(
        _ credential: Credential, named name: String, for url: String
    ) async throws(TransferFailure) {
        guard let name = CredentialName(name) else { throw CredentialName.refusal }
        try await backend.provideCredential(credential, named: name, for: url)
    }

    /// Stores the program that provides the session's credentials, with the protocol of git's credential helpers; `nil` for none.
    ///
    /// The process that runs the session finds the program in its `PATH` and calls it with the given arguments and `get`, `store`, or
    /// `erase`. The arguments must not contain secrets.
    public func setCredentialHelper(_ command: [String]?) async throws(TransferFailure) {
        try await backend.setCredentialHelper(command ?? [])
    }

    /// Returns the state of the session's credentials, without secrets.
    package func credentials() async throws(TransferFailure) -> CredentialReport {
        try await backend.credentials()
    }

}

extension Transfer {
    /// Accepts the certificate key that a server presented, for this transfer and this server only, and continues the transfer.
    ///
    /// Call it after a failure `certificateRejected`, if the user recognizes ``LonghaulCore/TransferFailure/certificate``. Until then nothing of the
    /// request has been sent to that server. From then on, the server must present this key. Fails with `invalidState` if the transfer
    /// has succeeded or was cancelled.
    public func trust(_ certificate: ServerCertificate) async throws(TransferFailure) {
        try await backend.trust(certificate.key, for: id)
    }

    /// Replaces the URL with another one for the same content, such as a signed URL that expired, and its header fields unless
    /// `headers` is `nil`. The change is stored on disk when this returns.
    ///
    /// A failed transfer starts again; a paused transfer stays paused. Transferred bytes are kept if the rules for resuming allow it.
    /// Fails with `invalidState` if the transfer has succeeded or was cancelled, or while the response to a request that must not be
    /// repeated is pending. Fails with `invalidURL` or `invalidArgument` for values that cannot be sent.
    public func replaceURL(with url: String, headers: (any HeaderFields)? = nil) async throws(TransferFailure) {
        try await backend.replaceURL(of: id, with: url, headers: headers?.headerFields)
    }
}
