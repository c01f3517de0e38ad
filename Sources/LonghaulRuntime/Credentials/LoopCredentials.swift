import LonghaulCore
import LonghaulStore

/// Named credentials: nothing begins without its own, and whoever waits for the same one is served by one question. The
/// machines never see a secret; it is added to a plan on its way to the engine.
extension SessionLoop {
    /// The queue has chosen a transfer: it runs, or waits for the credential that it lacks.
    func grant(_ id: TransferID, _ transfer: LiveTransfer) throws(TransferFailure) {
        guard session.credentials.lacks(for: transfer.machine, at: now) else {
            try feed(id, .turnGranted, to: transfer)
            // Where the file is there already nothing runs.
            if !turns.queue.isRunning(id) { turns.queue.passTurnOn() }
            return
        }
        try feed(id, .credentialsMissing, to: transfer)
        turns.queue.passTurnOn()
        try consult(id)
    }

    /// Adds the secret; `nil` when it is not there any more, which the machine hears in the next turn.
    func supplied(_ work: EngineWork, for id: TransferID) -> EngineWork? {
        guard case .exchange(var plan) = work, plan.credential != nil else { return work }
        guard let use = session.credentials.equip(&plan, at: now) else {
            backlog.append(.credentialMissing(id))
            return nil
        }
        turns.live[id]?.credentialUse = use
        return .exchange(plan)
    }

    /// The same for tidying up at a server, which is tried without as well: it is repeated.
    func suppliedIfHeld(_ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work else { return work }
        _ = session.credentials.equip(&plan, at: now)
        return .exchange(plan)
    }

    /// What a server's answer says about the credential that it was sent.
    func judge(_ event: EngineEvent, of id: TransferID, _ use: CredentialUse?) throws(TransferFailure) {
        if let use, let head = event.head {
            let isRepeated = try transfer(id).map { $0.record.facts.credentialRefusals > 1 } ?? false
            try apply(session.judge(head, to: use, isRepeated: isRepeated, at: now))
        }
        if event.isEnding { try consult(id) }
    }

    /// Lets a transfer that waits for credentials have them, or asks for them.
    func consult(_ id: TransferID, isAnswer: Bool = false) throws(TransferFailure) {
        guard let transfer = try transfer(id) else { return }
        try apply(session.consult(transfer.machine, isAnswer: isAnswer, at: now))
    }

    /// The exchange could not be begun.
    func missCredential(_ id: TransferID) throws(TransferFailure) {
        try feed(id, .credentialsMissing)
        try consult(id)
    }

    /// An answer has come, or none.
    func hear(_ answer: CredentialAnswer, to number: UInt64) throws(TransferFailure) {
        guard let (scope, url) = session.credentials.answered(number, answer, at: now) else { return }
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
        session.credentials.reconsider()
        for id in try store.ids(waitingFor: .credentials) { try missCredential(id) }
    }

    /// After the commit.
    func ask(_ question: CredentialQuestion) {
        credentials.ask(question) { [post] answer in post(.credentialAnswered(question.number, answer)) }
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
        case .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint, .parts, .connectionsWanted,
            .heads,
            .sourcesInspected,
            .places, .partialMeasured, .piecesChecked, .placed,
            .discarded:
            nil
        }
    }
}
