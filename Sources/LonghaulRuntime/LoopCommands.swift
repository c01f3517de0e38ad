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
        case .control(let verb, let selection): return try control(verb, selection, reply)
        case .list(let query): result = .page(try list(query))
        case .show(let id):
            if let transfer = try transfer(id) {
                result = .detail(TransferDetail(transfer.record, snapshot: currentSnapshot(of: transfer.record)))
            } else {
                result = .failed(Self.unknown(id))
            }
        case .history(let id):
            // Told from the disk: what lags is written first, unless the disk takes nothing now.
            if storeTrouble == nil { try writeLag(of: id) }
            result = try transfer(id) == nil ? .failed(Self.unknown(id)) : .history(try store.history(of: id))
        case .setLimits(let limits):
            if let failure = refusal(of: limits) {
                result = .failed(failure)
            } else {
                try beginWriting()
                try store.setLimits(limits)
                batch.oldLimits = batch.oldLimits ?? queue.limits
                queue.setLimits(limits)
                result = .limits(limits)
            }
        case .limits: result = .limits(queue.limits)
        case .reconcile: preconditionFailure("a comparison is begun by the session's desk")
        case .provideCredential(let name, let url, let credential): result = try provide(name, url: url, credential)
        case .setCredentialHelper(let words): return try setHelper(words, reply)
        case .credentials: result = .credentials(try report())
        case .replaceURL(let id, let url, let headers):
            result = try replaceURL(of: id, Replacement(url: url, headers: headers))
        case .info: result = .info(try info())
        case .setOwnerLossPolicy(let policy):
            try beginWriting()
            try store.setOwnerLossPolicy(policy)
            result = .info(try info())
        case .acknowledgeOwnerLoss:
            if try store.ownerLoss() != nil {
                try beginWriting()
                try store.setOwnerLoss(nil)
            }
            result = .info(try info())
        case .acknowledgeDamage:
            try directory.takeNoteOfDamage()
            result = .info(try info())
        case .events(let number): result = .events(try events(after: number))
        case .acknowledgeEvents(let number):
            try acknowledgeEvents(through: number)
            result = .wake(try wakeStatus())
        case .setWake(let registration):
            if let refusal = registration?.refusal {
                result = .failed(refusal)
            } else {
                try feed(.wakeRegistered(registration))
                result = .wake(try wakeStatus())
            }
        case .wakeStatus: result = .wake(try wakeStatus())
        case .adjust(let adjustment, let selection):
            if let refusal = adjustment.refusal {
                result = .failed(refusal)
            } else {
                result = .controlled(try adjust(adjustment, selection))
            }
        case .setRules(let rules):
            if let refusal = try feed(.rulesChanged(rules)) {
                result = .failed(refusal)
            } else {
                result = .rules(rulesReport())
            }
        case .rules: result = .rules(rulesReport())
        case .notifications(let request):
            if let refusal = try feed(.notificationRequested(request)) {
                result = .failed(refusal)
            } else {
                result = .notifications(session.notifications.status)
            }
        case .submitTask, .cancelTask, .cancelAllTasks, .tasks, .forceTask, .taskReturned, .setTaskSettings:
            result = try obeyTask(command)
        }
        answer { reply(result) }
    }

    private func list(_ query: ListQuery) throws(TransferFailure) -> ListPage {
        var query = query
        query.limit = max(1, min(query.limit, 1_000))
        let page = try store.page(query)
        return ListPage(
            transfers: page.records.map(currentSnapshot), hasMore: page.hasMore,
            totals: totals)
    }

    private func refusal(of limits: SessionLimits) -> TransferFailure? {
        let numbers = [limits.total, limits.perHost, limits.streams] + limits.perGroup.values
        if numbers.contains(where: { !(1...10_000).contains($0) }) {
            return TransferFailure(.invalidArgument, "A limit is a number from 1 to 10000.")
        }
        // The others are bounded by the numbers in all; a number of streams that nobody chose is kept within the room.
        let room = environment.room
        let most = max(limits.total, limits.chosenStreams ?? 0)
        guard most > room.capacity, most != max(queue.limits.total, queue.limits.chosenStreams ?? 0) else { return nil }
        return TransferFailure(
            .invalidArgument,
            "No more than \(room.capacity) transfers can run at once here: the process may have \(room.descriptors) files and "
                + "connections open, a transfer takes up to \(DescriptorBudget.perTransfer), and some are kept for clients. "
                + "Choose \(room.capacity) or fewer, or let it have more (`ulimit -Hn`, `LimitNOFILE=`) and start it again."
        )
    }

    static func unknown(_ id: TransferID) -> TransferFailure {
        TransferFailure(
            .unknownTransfer, "There is no transfer \(id) in this session. `longhaul list` shows what there is.")
    }
}
