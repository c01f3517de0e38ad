import LonghaulCore
import LonghaulStore

/// Background tasks: what is asked of them, and giving those that are due to the app. A run is on disk before the app hears
/// of it, and its end before the app is answered: whoever dies in between, the next owner knows what was begun.
extension SessionLoop {
    /// How long after an opening a run waits for the process that has it: one that lives comes back at once.
    private static let reclaimTime = Span.seconds(30)
    /// How many tasks one answer holds.
    private static let pageSize = 1_000

    /// Reads what earlier owners left.
    func openTasks() throws(TransferFailure) {
        let now = environment.now()
        tasks.settings = try store.taskSettings()
        tasks.throttle = try store.taskThrottle()
        try store.forEachTask { record throws(TransferFailure) in
            tasks.settle(from: nil, to: record, at: now)
            if record.run != nil { tasks.alarms.set(record.identifier, at: now + Self.reclaimTime) }
        }
    }

    func obeyTask(_ command: SessionCommand) throws(TransferFailure) -> SessionReply {
        switch command {
        case .submitTask(let request):
            if let refusal = try refusal(of: request) { return .failed(refusal) }
            try feedTask(request.identifier, .submitted(request))
        case .cancelTask(let identifier):
            if try store.task(identifier) != nil { try feedTask(identifier, .cancelled) }
        case .cancelAllTasks:
            var names: [String] = []
            try store.forEachTask { record in
                if record.pending != nil || record.owed != nil { names.append(record.identifier) }
            }
            for name in names { try feedTask(name, .cancelled) }
        case .tasks(let identifier): return .tasks(try page(after: identifier))
        case .forceTask(let identifier):
            guard let record = try store.task(identifier), record.nextRequest != nil else {
                return .failed(BackgroundTaskRequest.unknown(identifier))
            }
            try feedTask(identifier, .forced)
        case .taskReturned(let report):
            runners.noteReturned(report.claim)
            if report.outcome == .overran, let token = tasks.runs[report.claim.identifier]?.runner {
                runners.noteStuck(report.claim, at: token)
            }
            if try store.task(report.claim.identifier) != nil {
                try feedTask(report.claim.identifier, .returned(report))
            }
        case .setTaskSettings(let settings):
            if let refusal = settings.refusal { return .failed(refusal) }
            try beginWriting()
            try store.setTaskSettings(settings)
            tasks.settings = settings
        case .submit, .control, .list, .show, .history, .setLimits, .limits, .reconcile, .info, .setOwnerLossPolicy,
            .acknowledgeOwnerLoss, .acknowledgeDamage, .events, .acknowledgeEvents, .setWake, .wakeStatus,
            .notifications,
            .provideCredential, .setCredentialHelper, .credentials, .replaceURL, .adjust, .setRules, .rules:
            preconditionFailure("\(command) is not about tasks")
        }
        return .taskDone
    }

    /// When the loop must look at the tasks again by itself.
    var nextTaskAlarm: WallTime? {
        var dates = [tasks.alarms.next()]
        if !tasks.due.isEmpty {
            dates.append(ThrottlePolicy.holdEnd(tasks.throttle, tasks.settings, at: environment.now()))
        }
        return dates.compactMap { $0 }.min()
    }

    /// Whether tasks have something ahead that somebody has to be here for. Those that nobody is to be started for wait for
    /// whoever opens the session.
    var hasTaskAhead: Bool {
        if !tasks.runs.isEmpty { return true }
        let canStart = book.registration?.sessionSendsLaunchEvents ?? false
        return tasks.alarms.next() != nil && (canStart || !runners.all.isEmpty)
            || !tasks.due.isEmpty && canStart && book.record.outcome != .missing
    }

    func feedTask(_ name: String, _ event: BackgroundTaskMachine.Event) throws(TransferFailure) {
        let now = environment.now()
        let before = try store.task(name)
        var machine = BackgroundTaskMachine(before ?? BackgroundTaskRecord(identifier: name))
        let standing = machine.handle(event, at: now, in: environment.zone)
        let after = machine.record
        if after != before {
            try beginWriting()
            if after.isIdle, after.last == nil {
                if before != nil { try store.deleteTask(name) }
            } else {
                try store.setTask(after)
            }
        }
        tasks.settle(from: before, to: after, at: now)
        switch standing {
        case .unchanged: break
        case .good:
            try setThrottle(ThrottlePolicy.noteReturn(tasks.throttle))
            // The app was started in vain no longer.
            if book.occasion == nil { try setWakeRecord(WakePolicy.noteAcknowledgement(book.record)) }
        case .strike: try setThrottle(ThrottlePolicy.noteStrike(tasks.throttle, tasks.settings, at: now))
        }
    }

    private func setThrottle(_ throttle: BackgroundTaskThrottle) throws(TransferFailure) {
        guard throttle != tasks.throttle else { return }
        try beginWriting()
        try store.setTaskThrottle(throttle)
        tasks.throttle = throttle
    }

    private func refusal(of request: BackgroundTaskRequest) throws(TransferFailure) -> TransferFailure? {
        if let refusal = request.refusal { return refusal }
        let replaced = try store.task(request.identifier)?.pending?.request.kind == request.kind ? 1 : 0
        let limit = tasks.settings.limit(of: request.kind)
        guard tasks.pending[request.kind, default: 0] - replaced >= limit else { return nil }
        return TransferFailure(
            .tooManyPendingTaskRequests,
            "\(limit) requests of this kind are pending, which is the limit. Cancel one, or submit under an identifier that is pending."
        )
    }

    private func page(after identifier: String?) throws(TransferFailure) -> TaskPage {
        let records = try store.tasks(after: identifier, limit: Self.pageSize + 1)
        var throttle = tasks.throttle
        throttle.until = ThrottlePolicy.holdEnd(throttle, tasks.settings, at: environment.now())
        return TaskPage(
            tasks: records.prefix(Self.pageSize).map(status), hasMore: records.count > Self.pageSize,
            throttle: throttle, settings: tasks.settings)
    }

    private func status(of record: BackgroundTaskRecord) -> BackgroundTaskStatus {
        var status = BackgroundTaskStatus(
            identifier: record.identifier, request: record.nextRequest, nextDate: record.date, run: record.run,
            last: record.last, runs: record.runs)
        guard record.run == nil, let request = record.nextRequest else { return status }
        guard tasks.due[record.identifier] != nil else {
            status.hold = .date
            return status
        }
        status.hold = BackgroundTaskPolicy.hold(
            .init(
                request: request, isForced: record.isForced,
                isThrottled: ThrottlePolicy.holdEnd(tasks.throttle, tasks.settings, at: environment.now()) != nil,
                conditions: environment.conditions(),
                hasTurn: tasks.runs.count < tasks.settings.concurrentRuns,
                app: runners.choose(for: record.identifier, isAttached: attendance.isAttached).app))
        return status
    }
}
