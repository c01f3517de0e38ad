import LonghaulCore
import LonghaulStore

/// What clients ask of a session.
extension SessionLoop {
    func obey(
        _ command: SessionCommand, _ reply: @escaping @Sendable (SessionReply) -> Void
    ) throws(TransferFailure) {
        let result: SessionReply
        switch command {
        case .submit(let specs): result = .submitted(try submit(specs))
        // These two answer by themselves.
        case .control(let verb, let selection): return try control(verb, selection, reply)
        case .setCredentialHelper(let words): return try setHelper(words, reply)
        case .list(let query): result = .page(try list(query))
        case .show(let id): result = try show(id)
        case .history(let id): result = try history(of: id)
        case .setLimits(let limits): result = try setLimits(limits)
        case .limits: result = .limits(turns.queue.limits)
        case .reconcile: preconditionFailure("a comparison is begun by the session's desk")
        case .provideCredential(let name, let url, let credential): result = try provide(name, url: url, credential)
        case .credentials: result = .credentials(try report())
        case .replaceURL(let id, let url, let headers):
            result = try replaceURL(of: id, Replacement(url: url, headers: headers))
        case .trust(let id, let key): result = try replaceURL(of: id, Replacement(url: "", key: key))
        case .info: result = .info(try info())
        case .setOwnerLossPolicy(let policy): result = .info(try setOwnerLossPolicy(policy))
        case .acknowledgeOwnerLoss: result = .info(try acknowledgeOwnerLoss())
        case .acknowledgeDamage:
            try directory.takeNoteOfDamage()
            result = .info(try info())
        case .events(let number): result = .events(try events(after: number))
        case .acknowledgeEvents(let number):
            try acknowledgeEvents(through: number)
            result = .wake(try wakeStatus())
        case .setWake(let registration): result = try setWake(registration)
        case .wakeStatus: result = .wake(try wakeStatus())
        case .adjust(let adjustment, let selection):
            let refusal = adjustment.refusal
            result = if let refusal { .failed(refusal) } else { .controlled(try adjust(adjustment, selection)) }
        case .setRules(let rules): result = try refusal(of: .rulesChanged(rules)) ?? .rules(rulesReport())
        case .rules: result = .rules(rulesReport())
        case .notifications(let request):
            result =
                try refusal(of: .notificationRequested(request)) ?? .notifications(session.notifications.status)
        case .submitTask(let request):
            let name = request.identifier
            result = try refusal(of: .task(name, store.task(name), .submitted(request))) ?? .taskDone
        case .cancelTask(let name): result = try refusal(of: .task(name, store.task(name), .cancelled)) ?? .taskDone
        case .cancelAllTasks: result = try cancelAllTasks()
        case .tasks(let identifier): result = .tasks(try tasks(after: identifier))
        case .forceTask(let identifier): result = try forceTask(identifier)
        case .taskReturned(let report): result = try refusal(of: .taskReturned(report)) ?? .taskDone
        case .setTaskSettings(let settings): result = try refusal(of: .taskSettingsChanged(settings)) ?? .taskDone
        case .totals: result = .totals(totals)
        case .lastWill(let order):
            let refusal = try refusal(of: .lastWill(order))
            result = if let refusal { refusal } else { .info(try info()) }
        }
        answer { reply(result) }
    }

    /// Feeds the session's machine; what it refuses is the answer.
    func refusal(of input: SessionInput) throws(TransferFailure) -> SessionReply? {
        try feed(input).map { .failed($0) }
    }

    private func show(_ id: TransferID) throws(TransferFailure) -> SessionReply {
        guard let record = try transfer(id)?.record else { return .failed(TransferFailure.unknown(id)) }
        return .detail(TransferDetail(record, snapshot: snapshot(of: record)))
    }

    /// Told from the disk: what lags is written first, unless the disk takes nothing now.
    private func history(of id: TransferID) throws(TransferFailure) -> SessionReply {
        if health.refusal == nil { try writeLag(of: id) }
        return try transfer(id) == nil ? .failed(TransferFailure.unknown(id)) : .history(store.history(of: id))
    }

    private func setLimits(_ limits: SessionLimits) throws(TransferFailure) -> SessionReply {
        if let failure = environment.room.refusal(of: limits, after: turns.queue.limits) { return .failed(failure) }
        try beginWriting()
        try store.setLimits(limits)
        batch.oldLimits = batch.oldLimits ?? turns.queue.limits
        turns.queue.setLimits(limits)
        return .limits(limits)
    }

    private func list(_ query: ListQuery) throws(TransferFailure) -> ListPage {
        var query = query
        query.limit = max(1, min(query.limit, 1_000))
        let page = try store.page(query)
        return ListPage(
            transfers: page.records.map(snapshot), hasMore: page.hasMore,
            totals: totals, rate: query.wantsRate ? turns.running(counters).reduce(0) { $0 + $1.rate } : 0)
    }
}

extension TransferFailure {
    static func unknown(_ id: TransferID) -> TransferFailure {
        TransferFailure(
            .unknownTransfer, "There is no transfer \(id) in this session. `longhaul list` shows what there is.")
    }
}
