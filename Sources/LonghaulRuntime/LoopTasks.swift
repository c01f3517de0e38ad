import LonghaulCore
import LonghaulStore

/// What clients and processes with handlers say of background tasks, and what the clock does.
extension SessionLoop {
    /// How many tasks one answer holds.
    private static let pageSize = 1_000

    func obeyTask(_ command: SessionCommand) throws(TransferFailure) -> SessionReply {
        switch command {
        case .submitTask(let request):
            let identifier = request.identifier
            let refusal = try feed(.task(identifier, store.task(identifier), .submitted(request)))
            if let refusal { return .failed(refusal) }
        case .cancelTask(let identifier): try feed(.task(identifier, store.task(identifier), .cancelled))
        case .cancelAllTasks: try feedTasks(.cancelled) { $0.pending != nil || $0.owed != nil }
        case .tasks(let identifier):
            let records = try store.tasks(after: identifier, limit: Self.pageSize + 1)
            return .tasks(
                session.taskPage(
                    records.prefix(Self.pageSize), hasMore: records.count > Self.pageSize, at: now))
        case .forceTask(let identifier):
            guard let record = try store.task(identifier), record.nextRequest != nil else {
                return .failed(BackgroundTaskRequest.unknown(identifier))
            }
            try feed(.task(identifier, record, .forced))
        case .taskReturned(let report): try feed(.taskReturned(report))
        case .setTaskSettings(let settings):
            if let refusal = try feed(.taskSettingsChanged(settings)) { return .failed(refusal) }
        case .submit, .control, .list, .show, .history, .setLimits, .limits, .reconcile, .info, .setOwnerLossPolicy,
            .acknowledgeOwnerLoss, .acknowledgeDamage, .events, .acknowledgeEvents, .setWake, .wakeStatus,
            .notifications,
            .provideCredential, .setCredentialHelper, .credentials, .replaceURL, .adjust, .setRules, .rules:
            preconditionFailure("\(command) is not about tasks")
        }
        return .taskDone
    }

    /// The clock was set, or the time zone changed.
    func noteClockChange() throws(TransferFailure) {
        try feedTasks(.clockChanged) { $0.pending?.request.repeats != nil }
        try feed(.clockChanged)
    }

    /// What has come due is noted, runs whose time is over are given up, and what nothing holds back is begun.
    func advanceTasks() throws(TransferFailure) {
        try apply(session.ringTasks(at: now))
        try apply(session.beginTasks(at: now))
    }

    private func feedTasks(
        _ event: BackgroundTaskMachine.Event, where isMeant: (BackgroundTaskRecord) -> Bool
    ) throws(TransferFailure) {
        var records: [BackgroundTaskRecord] = []
        try store.forEachTask { if isMeant($0) { records.append($0) } }
        for record in records { try feed(.task(record.identifier, record, event)) }
    }
}
