import LonghaulCore
import LonghaulStore

/// Named credentials: whoever waits for the same one is served by one question. The machines never see a secret; it is added to a
/// plan on its way to the engine.
struct NamedCredentials {
    let state: SessionState

    /// Adds the secret; `nil` when it is not there any more, which the machine hears in the next turn.
    func supplied(_ work: EngineWork, for id: TransferID) -> EngineWork? {
        guard case .exchange(var plan) = work, plan.credential != nil else { return work }
        guard let use = state.session.credentials.equip(&plan, at: state.now) else {
            state.backlog.append(.credentialMissing(id))
            return nil
        }
        state.turns.live[id]?.credentialUse = use
        return .exchange(plan)
    }

    /// The same for tidying up at a server, which is tried without as well: it is repeated.
    func suppliedIfHeld(_ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work else { return work }
        _ = state.session.credentials.equip(&plan, at: state.now)
        return .exchange(plan)
    }

    /// What a server's answer says about the credential that it was sent.
    func judge(_ event: EngineEvent, of id: TransferID, _ use: CredentialUse?) throws(TransferFailure) {
        if let use, let head = event.head {
            let isRepeated = try state.transfer(id).map { $0.record.facts.credentialRefusals > 1 } ?? false
            try state.apply(state.session.judge(head, to: use, isRepeated: isRepeated, at: state.now))
        }
        if event.isEnding { try consult(id) }
    }

    /// Lets a transfer that waits for credentials have them, or asks for them.
    func consult(_ id: TransferID, isAnswer: Bool = false) throws(TransferFailure) {
        guard let transfer = try state.transfer(id) else { return }
        try state.apply(state.session.consult(transfer.machine, isAnswer: isAnswer, at: state.now))
    }

    /// The exchange could not be begun.
    func miss(_ id: TransferID) throws(TransferFailure) {
        try state.feed(id, .credentialsMissing)
        try consult(id)
    }

    /// An answer has come, or none.
    func hear(_ answer: CredentialAnswer, to number: UInt64) throws(TransferFailure) {
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

    /// Somebody else can be asked now: whoever waits is asked for again.
    func reconsider() throws(TransferFailure) {
        state.session.credentials.reconsider()
        for id in try state.store.ids(waitingFor: .credentials) { try miss(id) }
    }

    /// What waited when the session was opened: it is asked for again where there is somebody to ask.
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

    /// Somebody gives a credential that nobody has asked for. Answers why it cannot be used.
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
        // For the transfers whose URL names a user as well: the app knows whom it has signed in.
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

    /// Another helper is asked from the commit on. Answers why that cannot be.
    func setHelper(_ words: [String]) throws(TransferFailure) -> TransferFailure? {
        if let flaw = HelperProtocol.flaw(of: words) { return flaw }
        try state.beginWriting()
        try state.store.setCredentialHelper(words)
        let source = state.environment.helper(words)
        // Weakly: what a dead loop had still to answer must not keep it, and its lock.
        state.answer { [weak state] in state?.credentials.helper = source }
        try reconsider()
        return nil
    }
}

extension TransferRecord {
    /// Whether it waits for a credential that somebody is, or is to be, asked for.
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
