/// The credential that an exchange was begun with.
package struct CredentialUse: Equatable, Sendable {
    package var scope: CredentialScope
    package var edition: UInt64

    package init(scope: CredentialScope, edition: UInt64) {
        self.scope = scope
        self.edition = edition
    }
}

/// Named credentials: nothing begins without its own, and whoever waits for the same one is served by one question.
extension CredentialBook {
    /// Whether a transfer whose turn has come lacks the credential that it needs.
    package func lacks(for transfer: TransferMachine, at now: WallTime) -> Bool {
        guard let scope = transfer.credentialScope(for: transfer.record.spec.url) else { return false }
        return held(scope, at: now) == nil
    }

    /// What a transfer needs is asked for again, although it was asked for in vain.
    package mutating func reconsider(for transfer: TransferMachine) {
        for scope in transfer.credentialScopes { reconsider(scope) }
    }

    /// A new URL for a transfer is not wanted any more, if one was.
    package mutating func forgetURL(of record: TransferRecord) {
        guard record.spec.options.credentialKind == .url else { return }
        for scope in TransferMachine(record).credentialScopes { forget(scope) }
    }

    /// Adds the credential that a plan names to its headers; `nil` when there is none to add, or it is not there any more.
    package func equip(_ plan: inout ExchangePlan, at now: WallTime) -> CredentialUse? {
        guard let scope = plan.credential, let held = held(scope, at: now) else { return nil }
        plan.headers += held.credential.fields
        return CredentialUse(scope: scope, edition: held.edition)
    }

    /// Lets a transfer that waits for credentials have them asked for, unless it was told that there are none. With
    /// `isAnswer` such a one is served as well, if there are some now that it was not refused with.
    mutating func consult(_ transfer: TransferMachine, isAnswer: Bool, at now: WallTime) -> [SessionEffect] {
        guard case .waiting(let waiting) = transfer.record.state, waiting.reason == .credentials,
            waiting.failure == nil || isAnswer && transfer.record.facts.credentialRefusals < 2
        else { return [] }
        for scope in transfer.credentialScopes {
            switch supply(scope, transfer.credentialRequest(for: scope), at: now) {
            case .held: continue
            case .asking: return []
            case .ask(let question): return [.ask(question)]
            case .lacking(let trouble):
                return [.feed(transfer.record.id, .credentialsUnavailable(trouble.failure(for: scope)))]
            }
        }
        return [.feed(transfer.record.id, .credentialsGiven)]
    }

    /// What a server's answer says about the credential that it was sent. `isRepeated`: it refused the same transfer before.
    mutating func judge(
        _ head: ResponseHead, to use: CredentialUse, isRepeated: Bool, at now: WallTime
    ) -> [SessionEffect] {
        guard head.isAnswer(from: use.scope.origin) else { return [] }
        if head.status == 401 {
            let refusal = refused(use.scope, edition: use.edition, isRepeated: isRepeated, at: now)
            return refusal.rejected.map { [Self.tell(.rejected, $0, use.scope)] } ?? []
        }
        guard head.status < 400, let taken = proven(use.scope, edition: use.edition) else { return [] }
        return [Self.tell(.approved, taken, use.scope)]
    }

    private static func tell(
        _ verdict: CredentialVerdict, _ credential: Credential, _ scope: CredentialScope
    ) -> SessionEffect {
        .tellHelper(
            verdict, credential,
            CredentialRequest(
                name: scope.name, kind: .authorization, url: scope.origin + "/", userName: scope.userName))
    }
}
