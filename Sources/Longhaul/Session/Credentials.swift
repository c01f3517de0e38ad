/// Secrets that transfers name instead of carrying them, and URLs that expire.
///
/// A transfer whose `options.credential` is set has nothing secret in it. What is needed is asked for when it is sent,
/// kept in memory only, and sent to the origin that it was asked for and to no other. When the server refuses it (401), it
/// is asked for anew, once for all transfers that wait for it. See `docs/credentials.md`.
extension TransferSession {
    /// Makes this app answer for the session's credentials, as long as the returned value is kept and not ended.
    ///
    /// `give` is called with each request, on any task; several calls may run at once, for different credentials. It may take as
    /// long as it needs, a person's answer included: meanwhile the transfers wait without keeping others from their turn. `nil`
    /// means that there is no such credential. When this begins, everything that waits for credentials is asked for again. A helper
    /// of the session is asked first.
    public func provideCredentials(
        _ give: @escaping @Sendable (CredentialRequest) async -> Credential?
    ) async throws(TransferFailure) -> CredentialProvision {
        guard let feed = try await backend.credentialFeed() else { throw .sessionClosed }
        return CredentialProvision(backend: backend, feed: feed, give: give)
    }

    /// Gives one credential without being asked, for the origin of `url`. Transfers that wait for the credential continue.
    ///
    /// The credential is kept in memory only: after the process that runs the session has ended, it is asked for. Fails with
    /// `invalidArgument` when the credential cannot be sent.
    public func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String
    ) async throws(TransferFailure) {
        try await backend.provideCredential(credential, named: name, for: url)
    }

    /// Sets the program that is asked for the session's credentials, as git asks its credential helpers; `nil` for none. The setting
    /// is kept with the session.
    ///
    /// The program is looked up in the `PATH` of the process that runs the session and called with the given arguments and `get`,
    /// `store` or `erase`. Put no secret into the arguments.
    public func setCredentialHelper(_ command: [String]?) async throws(TransferFailure) {
        try await backend.setCredentialHelper(command ?? [])
    }

    /// How the session's credentials are, without anything secret.
    package func credentials() async throws(TransferFailure) -> CredentialReport {
        try await backend.credentials()
    }

    /// Gives a transfer another URL for the same content, such as a signed one that has expired, and, unless they are
    /// `nil`, other header fields instead of all that it had. On disk when this returns.
    ///
    /// A failed transfer starts again; a paused one stays paused. Bytes that were moved are kept where the rules for resuming allow
    /// that; another version of the content begins from its first byte. Fails with `invalidState` when the transfer has
    /// succeeded or was cancelled, or when the answer to a request that must not be repeated is still to come, and with
    /// `invalidURL` or `invalidArgument` for what cannot be sent.
    public func replaceURL(
        _ id: TransferID, with url: String, headers: [HeaderField]? = nil
    ) async throws(TransferFailure) {
        try await backend.replaceURL(of: id, with: url, headers: headers)
    }
}

extension Transfer {
    /// Accepts the key that a server showed, for this transfer and this server alone, and lets the transfer go on.
    ///
    /// It is the answer to a failure `certificateRejected` whose `certificate` says what was shown: show that to the
    /// person, and call this if they know the key; do nothing if they do not. Nothing of the request has been sent to that server. From here on the
    /// server must show this key: another one is refused again. Fails with `invalidState` when the transfer has succeeded or was
    /// cancelled.
    public func trust(_ certificate: ServerCertificate) async throws(TransferFailure) {
        try await backend.trust(certificate.key, for: id)
    }

    /// Gives the transfer another URL; see ``TransferSession/replaceURL(_:with:headers:)``.
    public func replaceURL(with url: String, headers: [HeaderField]? = nil) async throws(TransferFailure) {
        try await backend.replaceURL(of: id, with: url, headers: headers)
    }
}
