import LonghaulCore
import LonghaulStore

/// Commands of clients.
struct Commands {
    let state: SessionState
    /// Whether the store can be written.
    let isWritable: Bool

    func obey(
        _ command: SessionCommand, _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        let (answers, credentials) = (Answers(state: state), NamedCredentials(state: state))
        let result: SessionReply
        switch command {
        case .submit(let specs): result = .submitted(try Submissions(state: state).submit(specs))
        // These send their own reply.
        case .control(let verb, let selection):
            return try Controls(state: state).obey(.control(verb), selection, reply)
        case .adjust(let adjustment, let selection):
            guard let refusal = adjustment.refusal else {
                return try Controls(state: state).obey(.adjust(adjustment), selection, reply)
            }
            result = .failed(refusal)
        case .list(let query): result = .page(try answers.list(query))
        case .show(let id): result = try answers.show(id)
        case .history(let id): result = try history(of: id)
        case .setLimits(let limits): result = try setLimits(limits)
        case .limits: result = .limits(state.turns.queue.limits)
        case .reconcile: preconditionFailure("a comparison is begun by the session's desk")
        case .provideCredential(let name, let url, let credential):
            result = try report(credentials.provide(name, url: url, credential))
        case .setCredentialHelper(let words): result = try report(credentials.setHelper(words))
        case .credentials: result = try report(nil)
        case .replaceURL(let id, let url, let headers):
            result = try replace(Replacement(url: url, headers: headers), in: id)
        case .trust(let id, let key): result = try replace(Replacement(url: "", key: key), in: id)
        case .info: result = .info(answers.info)
        case .setOwnerLossPolicy(let policy):
            result = try refusal(of: .ownerLossPolicyChanged(policy)) ?? .info(answers.info)
        case .acknowledgeOwnerLoss: result = try refusal(of: .ownerLossAcknowledged) ?? .info(answers.info)
        case .acknowledgeDamage:
            try state.directory.acknowledgeDamage(at: state.now)
            result = .info(answers.info)
        case .events(let number): result = .events(try answers.events(after: number))
        case .acknowledgeEvents(let number): result = try acknowledgeEvents(through: number)
        case .setWake(let registration):
            let refusal = try refusal(of: .wakeRegistered(registration))
            result = if let refusal { refusal } else { .wake(try answers.wake()) }
        case .wakeStatus: result = .wake(try answers.wake())
        case .setRules(let rules): result = try setRules(rules)
        case .rules: result = .rules(answers.rules)
        case .notifications(let request):
            let refusal = try refusal(of: .notificationRequested(request))
            result = refusal ?? .notifications(state.session.notifications.status)
        case .submitTask(let request): result = try feed(request.identifier, .submitted(request))
        case .cancelTask(let name): result = try feed(name, .cancelled)
        case .forceTask(let name): result = try feed(name, .forced)
        case .cancelAllTasks:
            try state.feedTasks(.cancelled) { $0.pending != nil || $0.owed != nil }
            result = .taskDone
        case .tasks(let identifier): result = .tasks(try answers.tasks(after: identifier))
        case .taskReturned(let report): result = try refusal(of: .taskReturned(report)) ?? .taskDone
        case .setTaskSettings(let settings): result = try refusal(of: .taskSettingsChanged(settings)) ?? .taskDone
        case .totals: result = .totals(state.totals)
        case .lastWill(let order): result = try refusal(of: .lastWill(order)) ?? .info(answers.info)
        }
        state.answer { reply(result) }
    }

    /// Feeds the session's machine. Returns its refusal as the reply.
    private func refusal(of input: SessionInput) throws(TransferFailure) -> SessionReply? {
        try state.feed(input).map { .failed($0) }
    }

    /// Read from the disk: lagging records are written first, unless the disk accepts no writes now.
    private func history(of id: TransferID) throws(TransferFailure) -> SessionReply {
        if isWritable { try state.writeLag(of: id) }
        return try state.transfer(id) == nil
            ? .failed(TransferFailure.unknown(id)) : .history(state.store.history(of: id))
    }

    /// Sets the rules and their limits in one commit, or neither.
    private func setRules(_ rules: SessionRules) throws(TransferFailure) -> SessionReply {
        if let limits = rules.limits,
            let failure = state.environment.room.refusal(of: limits, after: state.turns.queue.limits)
        {
            return .failed(failure)
        }
        if let refusal = try refusal(of: .rulesChanged(rules)) { return refusal }
        if let limits = rules.limits { _ = try setLimits(limits) }
        return .rules(Answers(state: state).rules)
    }

    private func setLimits(_ limits: SessionLimits) throws(TransferFailure) -> SessionReply {
        let present = state.turns.queue.limits
        if let failure = state.environment.room.refusal(of: limits, after: present) { return .failed(failure) }
        try state.beginWriting()
        try state.store.setLimits(limits)
        state.batch.oldLimits = state.batch.oldLimits ?? present
        state.turns.queue.setLimits(limits)
        return .limits(limits)
    }

    private func replace(_ replacement: Replacement, in id: TransferID) throws(TransferFailure) -> SessionReply {
        // A removed record stays until its files are deleted.
        guard let before = try state.transfer(id)?.record, !before.facts.cleanup.contains(.record) else {
            return .failed(TransferFailure.unknown(id))
        }
        if let refusal = try state.feed(id, .replaced(replacement.completed(from: before.spec))) {
            return .controlled(ControlAnswer(changed: 0, refusals: [.init(id: id, failure: refusal)]))
        }
        // The credential request for the old URL is obsolete.
        state.session.credentials.forgetURL(of: before)
        return .controlled(ControlAnswer(changed: try state.transfer(id)?.record == before ? 0 : 1))
    }

    private func acknowledgeEvents(through number: Int64) throws(TransferFailure) -> SessionReply {
        if let first = try state.store.events(after: 0, limit: 1).first, first.number <= number {
            try state.feed(.eventsAcknowledged(through: number))
            try state.feed(.eventsWritten(state.store.eventFacts()))
        }
        return .wake(try Answers(state: state).wake())
    }

    /// Returns the state of the credentials, or the refusal.
    private func report(_ refusal: TransferFailure?) throws(TransferFailure) -> SessionReply {
        if let refusal { .failed(refusal) } else { .credentials(try Answers(state: state).credentials()) }
    }

    /// Feeds the machine of a background task.
    private func feed(_ name: String, _ event: BackgroundTaskMachine.Event) throws(TransferFailure) -> SessionReply {
        try refusal(of: .task(name, state.store.task(name), event)) ?? .taskDone
    }
}
