import LonghaulCore
import LonghaulStore

/// The credential that an exchange was begun with.
struct CredentialUse: Equatable {
    var scope: CredentialScope
    var edition: UInt64
}

/// Named credentials: nothing begins without its own, and whoever waits for the same one is served by one question. The
/// machines never see a secret; it is added to a plan on its way to the engine.
extension SessionLoop {
    /// The queue has chosen a transfer: it runs, or waits for the credential that it lacks.
    func grant(_ id: TransferID, _ transfer: LiveTransfer) throws(TransferFailure) {
        guard let scope = transfer.machine.credentialScope(for: transfer.record.spec.url),
            credentials.book.held(scope, at: now) == nil
        else {
            try feed(id, .turnGranted, to: transfer)
            return
        }
        try feed(id, .credentialsMissing, to: transfer)
        queue.passTurnOn()
        try consult(id)
    }

    /// Adds the secret; `nil` when it is not there any more, which the machine hears in the next turn.
    func supplied(_ work: EngineWork, for id: TransferID) -> EngineWork? {
        guard case .exchange(var plan) = work, let scope = plan.credential else { return work }
        guard let held = credentials.book.held(scope, at: now) else {
            backlog.append(.credentialMissing(id))
            return nil
        }
        plan.headers += held.credential.fields
        live[id]?.credentialUse = CredentialUse(scope: scope, edition: held.edition)
        return .exchange(plan)
    }

    /// The same for tidying up at a server, which is tried without as well: it is repeated.
    func suppliedIfHeld(_ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work, let scope = plan.credential,
            let held = credentials.book.held(scope, at: now)
        else { return work }
        plan.headers += held.credential.fields
        return .exchange(plan)
    }

    /// What a server's answer says about the credential that it was sent.
    func judge(_ event: EngineEvent, of id: TransferID, _ use: CredentialUse?) throws(TransferFailure) {
        if let use, let head = event.head, head.isAnswer(from: use.scope.origin) {
            if head.status == 401 {
                let isRepeated = try transfer(id).map { $0.record.facts.credentialRefusals > 1 } ?? false
                let rejected = credentials.book.refused(
                    use.scope, edition: use.edition, isRepeated: isRepeated, at: now
                ).rejected
                if let rejected { note(.rejected, rejected, use.scope) }
            } else if head.status < 400, let taken = credentials.book.proven(use.scope, edition: use.edition) {
                note(.approved, taken, use.scope)
            }
        }
        if event.isEnding { try consult(id) }
    }

    /// Lets a transfer that waits for credentials have them asked for, unless it was told that there are none. With
    /// `isAnswer` such a one is served as well, if there are some now that it was not refused with.
    func consult(_ id: TransferID, isAnswer: Bool = false) throws(TransferFailure) {
        guard let transfer = try transfer(id), case .waiting(let waiting) = transfer.record.state,
            waiting.reason == .credentials,
            waiting.failure == nil || isAnswer && transfer.record.facts.credentialRefusals < 2
        else { return }
        for scope in transfer.machine.credentialScopes {
            let request = transfer.machine.credentialRequest(for: scope)
            switch credentials.book.supply(scope, request, at: now) {
            case .held: continue
            case .asking: return
            case .ask(let question): return batch.questions.append(question)
            case .lacking(let trouble):
                try feed(id, .credentialsUnavailable(trouble.failure(for: scope)))
                return
            }
        }
        try feed(id, .credentialsGiven)
    }

    /// The exchange could not be begun.
    func missCredential(_ id: TransferID) throws(TransferFailure) {
        try feed(id, .credentialsMissing)
        try consult(id)
    }

    /// An answer has come, or none.
    func hear(_ answer: CredentialAnswer, to number: UInt64) throws(TransferFailure) {
        guard let (scope, url) = credentials.book.answered(number, answer, at: now) else { return }
        if let id = scope.transfer, case .url(let text, let headers)? = url {
            let refusal = try feed(id, .urlGiven(Replacement(url: text, headers: headers)))
            guard let refusal else { return }
            try feed(id, .credentialsUnavailable(CredentialTrouble.unusable(refusal.message).failure(for: scope)))
            return
        }
        for id in try store.ids(waitingFor: .credentials)
        where try transfer(id)?.machine.credentialScopes.contains(scope) ?? false {
            try consult(id, isAnswer: true)
        }
    }

    /// Somebody else can be asked now: whoever waits is asked for again.
    func reconsiderCredentials() throws(TransferFailure) {
        credentials.book.reconsider()
        for id in try store.ids(waitingFor: .credentials) { try missCredential(id) }
    }

    /// After the commit.
    func ask(_ question: CredentialQuestion) {
        let post = post
        CredentialInquiry.run(question, credentials.sources(for: question)[...]) { answer in
            post(.credentialAnswered(question.number, answer))
        }
    }

    private func note(_ verdict: CredentialVerdict, _ credential: Credential, _ scope: CredentialScope) {
        let request = CredentialRequest(
            name: scope.name, kind: .authorization, url: scope.origin + "/", userName: scope.userName)
        answer { [helper = credentials.helper] in helper?.note(verdict, credential, for: request) }
    }
}

extension TransferRecord {
    /// Whether it waits for a credential that somebody is, or is to be, asked for.
    var isAskingForCredentials: Bool {
        if case .waiting(let waiting) = state { waiting.isBeingAnswered } else { false }
    }
}

extension EngineEvent {
    fileprivate var head: ResponseHead? {
        switch self {
        case .receiving(let head), .head(let head): head
        case .exchangeEnded(let outcome): outcome.head
        case .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint, .sourcesInspected,
            .partialMeasured, .placed,
            .discarded:
            nil
        }
    }
}
