/// The credential that an exchange was started with.
package struct CredentialUse: Equatable, Sendable {
    package var scope: CredentialScope
    package var edition: UInt64

    package init(scope: CredentialScope, edition: UInt64) {
        self.scope = scope
        self.edition = edition
    }
}

/// Named credentials: a transfer that needs a credential starts only with it, and one query serves all transfers that
/// wait for the same credential.
extension CredentialCache {
    /// Whether a transfer whose turn has come lacks the credential that it needs.
    package func lacks(for transfer: TransferMachine, at now: WallTime) -> Bool {
        guard let scope = transfer.credentialScope(for: transfer.record.spec.url) else { return false }
        return held(scope, at: now) == nil
    }

    /// Allows another query for the credentials of a transfer after a failed one.
    package mutating func reconsider(for transfer: TransferMachine) {
        for scope in transfer.credentialScopes { reconsider(scope) }
    }

    /// Drops a query for a new URL of a transfer.
    package mutating func forgetURL(of record: TransferRecord) {
        guard record.spec.options.credentialKind == .url else { return }
        for scope in TransferMachine(record).credentialScopes { forget(scope) }
    }

    /// Adds the credential that a plan names to its headers. Returns `nil` if the plan names none, or if the credential
    /// is gone.
    package func equip(_ plan: inout ExchangePlan, at now: WallTime) -> CredentialUse? {
        guard let scope = plan.credential, let held = held(scope, at: now) else { return nil }
        plan.headers += held.credential.fields
        return CredentialUse(scope: scope, edition: held.edition)
    }

    /// Requests the credentials that a transfer waits for, unless the transfer knows that there are none. With
    /// `isAnswer`, also serves a transfer whose query failed, unless servers refused its credentials twice.
    mutating func consult(_ transfer: TransferMachine, isAnswer: Bool, at now: WallTime) -> [SessionEffect] {
        guard case .waiting(let waiting) = transfer.record.state, waiting.reason == .credentials,
            waiting.failure == nil || isAnswer && transfer.record.facts.credentialRefusals < 2
        else { return [] }
        for scope in transfer.credentialScopes {
            switch supply(scope, transfer.credentialRequest(for: scope), at: now) {
            case .held: continue
            case .asking: return []
            case .query(let question): return [.query(question)]
            case .lacking(let trouble):
                return [.feed(transfer.record.id, .credentialsUnavailable(trouble.failure(for: scope)))]
            }
        }
        return [.feed(transfer.record.id, .credentialsGiven)]
    }

    /// Processes a server's response to a credential. `isRepeated`: the server refused the same transfer before.
    mutating func applyResponse(
        _ head: ResponseHead, to use: CredentialUse, isRepeated: Bool, at now: WallTime
    ) -> [SessionEffect] {
        guard head.isAnswer(from: use.scope.origin) else { return [] }
        if head.status == 401 {
            let refusal = refused(use.scope, edition: use.edition, isRepeated: isRepeated, at: now)
            return refusal.rejected.map { [Self.reportToHelper(.rejected, $0, use.scope)] } ?? []
        }
        guard head.status < 400, let taken = proven(use.scope, edition: use.edition) else { return [] }
        return [Self.reportToHelper(.approved, taken, use.scope)]
    }

    private static func reportToHelper(
        _ verdict: CredentialVerdict, _ credential: Credential, _ scope: CredentialScope
    ) -> SessionEffect {
        .notifyHelper(
            verdict, credential,
            CredentialRequest(
                name: scope.name, kind: .authorization, url: scope.origin + "/", userName: scope.userName))
    }
}
