import LonghaulCore
import LonghaulStore

/// What clients say about credentials and URLs.
extension SessionLoop {
    func provide(_ name: CredentialName, url text: String, _ credential: Credential) throws(TransferFailure)
        -> SessionReply
    {
        let url: TransferURL
        do throws(TransferFailure) {
            url = try TransferURL(parsing: text)
            if let flaw = credential.check(as: .authorization) { throw flaw }
        } catch {
            return .failed(error)
        }
        // For the transfers whose URL names a user as well: the app knows whom it has signed in.
        var scopes: Set<CredentialScope> = [CredentialScope(name: name, origin: url.origin)]
        let waiting = try store.ids(waitingFor: .credentials)
        var matching: [TransferID] = []
        for id in waiting {
            guard let machine = try transfer(id)?.machine, machine.record.spec.options.credentialKind == .authorization
            else { continue }
            let meant = machine.credentialScopes.filter { $0.name == name && $0.origin == url.origin }
            if !meant.isEmpty { matching.append(id) }
            scopes.formUnion(meant)
        }
        for scope in scopes { session.credentials.give(credential, for: scope) }
        for id in matching { try missCredential(id) }
        return .credentials(try report())
    }

    /// The answer is given after the commit, and the helper is asked from then on.
    func setHelper(
        _ words: [String], _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        if let flaw = HelperProtocol.flaw(of: words) { return answer { reply(.failed(flaw)) } }
        try beginWriting()
        try store.setCredentialHelper(words)
        let source = environment.helper(words)
        // Weakly: what a dead loop had still to answer must not keep it, and its lock.
        answer { [weak self] in self?.credentials.helper = source }
        try reconsiderCredentials()
        let report = try report()
        answer { reply(.credentials(report)) }
    }

    func report() throws(TransferFailure) -> CredentialReport {
        CredentialReport(
            helper: try store.credentialHelper(), providers: credentials.providerCount,
            waiting: try store.ids(waitingFor: .credentials).count, entries: session.credentials.entries)
    }

    func replaceURL(
        of id: TransferID, _ replacement: Replacement
    ) throws(TransferFailure) -> SessionReply {
        guard let before = try transfer(id)?.record else { return .failed(TransferFailure.unknown(id)) }
        if let refusal = try feed(id, .replaced(replacement.completed(from: before.spec))) {
            return .controlled(ControlAnswer(changed: 0, refusals: [.init(id: id, failure: refusal)]))
        }
        // What is asked for the old URL is not wanted any more.
        session.credentials.forgetURL(of: before)
        return .controlled(ControlAnswer(changed: try transfer(id)?.record == before ? 0 : 1))
    }

    /// Whether a helper or an app is asked, from the opening on.
    func openCredentials() throws(TransferFailure) {
        credentials.helper = environment.helper(try store.credentialHelper())
    }

    /// What waited when the session was opened: it is asked for again where there is somebody to ask.
    func resumeAsking(_ ids: [TransferID]) throws(TransferFailure) {
        for id in ids {
            guard let transfer = try transfer(id) else { continue }
            if transfer.record.isAskingForCredentials {
                try consult(id)
            } else if credentials.hasSource {
                try missCredential(id)
            }
        }
    }

}
