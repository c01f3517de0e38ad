import LonghaulCore
import LonghaulStore

/// Named credentials: one request serves all transfers that wait for the same one. The machines never see a secret; it is added to a
/// plan on its way to the engine.
struct NamedCredentials {
    let state: SessionState

    /// Adds the secret; `nil` if it is missing by now, which the machine learns in the next turn.
    func supplied(_ work: EngineWork, for id: TransferID) -> EngineWork? {
        guard case .exchange(var plan) = work, plan.credential != nil else { return work }
        guard let use = state.session.credentials.equip(&plan, at: state.now) else {
            state.backlog.append(.credentialMissing(id))
            return nil
        }
        state.turns.live[id]?.credentialUse = use
        return .exchange(plan)
    }

    /// Adds the secret to cleanup on a server, if it is known. Cleanup runs without it too, and is repeated on failure.
    func suppliedIfHeld(_ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work else { return work }
        _ = state.session.credentials.equip(&plan, at: state.now)
        return .exchange(plan)
    }

    /// Applies a server's response to the credential sent with the request.
    func applyResponse(_ event: EngineEvent, of id: TransferID, _ use: CredentialUse?) throws(TransferFailure) {
        if let use, let head = event.head {
            let isRepeated = try state.transfer(id).map { $0.record.facts.credentialRefusals > 1 } ?? false
            try state.apply(state.session.applyResponse(head, to: use, isRepeated: isRepeated, at: state.now))
        }
        if event.isEnding { try consult(id) }
    }

    /// Supplies a waiting transfer with its credential, or requests one.
    func consult(_ id: TransferID, isAnswer: Bool = false) throws(TransferFailure) {
        guard let transfer = try state.transfer(id) else { return }
        try state.apply(state.session.consult(transfer.machine, isAnswer: isAnswer, at: state.now))
    }

    /// The exchange could not start.
    func miss(_ id: TransferID) throws(TransferFailure) {
        try state.feed(id, .credentialsMissing)
        try consult(id)
    }

    /// Handles the answer of a source.
    func receive(_ answer: CredentialAnswer, to number: UInt64) throws(TransferFailure) {
        guard let (scope, url) = state.session.credentials.answered(number, answer, at: state.now) else { return }
        if let id = scope.transfer, case .url(let text, let headers)? = url {
            let refusal = try state.feed(id, .urlGiven(Replacement(url: text, headers: headers)))
            guard let refusal else { return }
            let trouble = CredentialTrouble.unusable(refusal.message)
            try state.feed(id, .credentialsUnavailable(trouble.failure(for: scope)))
            return
        }
        for id in try state.store.ids(waitingFor: .credentials)
        where try state.transfer(id)?.machine.credentialScopes.contains(scope) ?? false {
            try consult(id, isAnswer: true)
        }
    }

    /// Requests all awaited credentials again, because a new source was added.
    func reconsider() throws(TransferFailure) {
        state.session.credentials.reconsider()
        for id in try state.store.ids(waitingFor: .credentials) { try miss(id) }
    }

    /// Requests the credentials of transfers that waited when the session was opened, if there is a source.
    func resumeAsking(_ ids: [TransferID]) throws(TransferFailure) {
        for id in ids {
            guard let record = try state.transfer(id)?.record else { continue }
            if record.isAskingForCredentials {
                try consult(id)
            } else if state.credentials.hasSource {
                try miss(id)
            }
        }
    }

    /// Stores a credential that was not requested. Returns why it cannot be used.
    func provide(
        _ name: CredentialName, url text: String, _ credential: Credential
    ) throws(TransferFailure) -> TransferFailure? {
        let url: TransferURL
        do throws(TransferFailure) {
            url = try TransferURL(parsing: text)
            if let flaw = credential.check(as: .authorization) { throw flaw }
        } catch {
            return error
        }
        // Includes transfers whose URL names a user: the app knows which user signed in.
        var scopes: Set<CredentialScope> = [CredentialScope(name: name, origin: url.origin)]
        var matching: [TransferID] = []
        for id in try state.store.ids(waitingFor: .credentials) {
            guard let machine = try state.transfer(id)?.machine,
                machine.record.spec.options.credentialKind == .authorization
            else { continue }
            let meant = machine.credentialScopes.filter { $0.name == name && $0.origin == url.origin }
            if !meant.isEmpty { matching.append(id) }
            scopes.formUnion(meant)
        }
        for scope in scopes { state.session.credentials.give(credential, for: scope) }
        for id in matching { try miss(id) }
        return nil
    }

    /// Uses another helper after the commit. Returns why it cannot.
    func setHelper(_ words: [String]) throws(TransferFailure) -> TransferFailure? {
        if let flaw = HelperProtocol.flaw(of: words) { return flaw }
        try state.beginWriting()
        try state.store.setCredentialHelper(words)
        let source = state.environment.helper(words)
        // Weak: a pending reply of a dead loop must not keep the loop and its lock alive.
        state.answer { [weak state] in state?.credentials.helper = source }
        try reconsider()
        return nil
    }
}

extension TransferRecord {
    /// Whether it waits for a credential that was or will be requested.
    fileprivate var isAskingForCredentials: Bool {
        if case .waiting(let waiting) = state { waiting.isBeingAnswered } else { false }
    }
}

extension EngineEvent {
    fileprivate var head: ResponseHead? {
        switch self {
        case .receiving(let head), .head(let head): head
        case .exchangeEnded(let outcome): outcome.head
        case .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint, .parts, .connectionsWanted,
            .heads,
            .sourcesInspected,
            .places, .partialMeasured, .piecesChecked, .placed,
            .discarded:
            nil
        }
    }
}
