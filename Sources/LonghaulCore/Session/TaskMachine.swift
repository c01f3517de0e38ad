/// Background tasks, and their assignment to the app. A run is on disk before the app receives it, and its end is on
/// disk before the app gets an answer. After a crash in between, the next owner knows which runs had started.
///
/// The store contains the tasks' records. The machine knows dates, due tasks, and runs. To change a task, it requests
/// the record (`SessionEffect.lookUp`), and receives it together with the event.
package struct TaskMachine: Equatable, Sendable {
    /// How long a run waits for its process after the session was opened. A process that is alive reconnects at once.
    private static let reclaimTime = Duration.seconds(30)

    package private(set) var settings: BackgroundTaskSettings
    package private(set) var throttle: BackgroundTaskThrottle
    /// The next date of each task that has one: its start time, or the deadline of its run.
    private var alarms = AlarmClock<String>()
    /// Tasks whose date has passed.
    private var due: [String: Due] = [:]
    private(set) var runs: [String: ActiveRun] = [:]
    /// The number of pending tasks of each kind.
    private var pending: [BackgroundTaskRequest.Kind: Int] = [:]
    private(set) var runners = TaskRunners()
    /// The runners that are about to receive a run.
    private var chosen: [String: WatchToken] = [:]
    /// Tasks that wait only for other tasks to end.
    private var inTurn: Set<String> = []
    /// The first task that waits only for the launch of the app. Tasks that the user started come first.
    package private(set) var waitingForApp: WaitingTask?
    /// The first task that the running app has registered no handler for.
    package private(set) var waitingForHandler: String?

    /// A due task that the app must be launched for.
    package struct WaitingTask: Equatable, Sendable {
        package var identifier: String
        package var since: WallTime
        /// Whether the user started the task.
        package var isForced: Bool
    }

    /// A task that runs as soon as nothing delays it.
    private struct Due: Equatable, Sendable {
        var request: BackgroundTaskRequest
        var isForced: Bool
        /// When this process found the task due.
        var since: WallTime
    }

    /// A run in progress.
    struct ActiveRun: Equatable, Sendable {
        var run: BackgroundTaskRun
        /// The runner; `nil` until a process claims the run after the session was opened.
        var runner: WatchToken?
    }

    /// Restores the state that an earlier owner left in the store.
    package init(
        settings: BackgroundTaskSettings = BackgroundTaskSettings(),
        throttle: BackgroundTaskThrottle = BackgroundTaskThrottle()
    ) {
        self.settings = settings
        self.throttle = throttle
    }

    /// Loads a task that an earlier owner left.
    package mutating func load(_ record: BackgroundTaskRecord, at now: WallTime) {
        updateSchedule(from: nil, to: record, at: now)
        if record.run != nil { alarms.set(record.identifier, at: now + Self.reclaimTime) }
    }

    /// Processes an event of a task with the record `before`. Without a record, a submission is the only event with an
    /// effect.
    mutating func handle(
        _ event: BackgroundTaskMachine.Event, _ name: String, _ before: BackgroundTaskRecord?, at now: WallTime,
        in zone: TimeZoneRules
    ) -> (effects: [SessionEffect], standing: BackgroundTaskMachine.Standing) {
        if case .submitted(let request) = event {
            if let refusal = refusal(of: request, replacing: before) { return ([.refuse(refusal)], .unchanged) }
        } else if event == .forced, before?.nextRequest == nil {
            return ([.refuse(BackgroundTaskRequest.unknown(name))], .unchanged)
        } else if before == nil {
            return ([], .unchanged)
        }
        var machine = BackgroundTaskMachine(before ?? BackgroundTaskRecord(identifier: name))
        let standing = machine.handle(event, at: now, in: zone)
        let after = machine.record
        updateSchedule(from: before, to: after, at: now)
        if case .began = event {
            runs[name]?.runner = chosen.removeValue(forKey: name)
            restartTime(of: name, at: now)
        }
        return (write(after, since: before) + applyStanding(standing, at: now), standing)
    }

    /// Updates a task that was looked up because it is due.
    mutating func update(at record: BackgroundTaskRecord?, at now: WallTime) {
        if let record { updateSchedule(from: record, to: record, at: now) }
    }

    mutating func set(_ new: BackgroundTaskSettings) -> [SessionEffect] {
        if let refusal = new.refusal { return [.refuse(refusal)] }
        settings = new
        return [.write(.taskSettings(new))]
    }

    /// Processes the end of a run: its handler returned or timed out.
    mutating func processReturn(_ report: TaskReturn) -> [SessionEffect] {
        runners.recordReturned(report.claim)
        if report.outcome == .overran, let token = runs[report.claim.identifier]?.runner {
            runners.recordStuck(report.claim, at: token)
        }
        return [.lookUp(report.claim.identifier, .returned(report))]
    }

    /// Adds a process with handlers, until it is removed.
    mutating func add(
        _ token: WatchToken, _ runner: TaskRunner, bootID: String, at now: WallTime
    ) -> [SessionEffect] {
        runners.add(token, runner.identifiers)
        for claim in runner.claims {
            if let active = runs[claim.identifier], active.run.number == claim.number, active.runner == nil {
                runs[claim.identifier]?.runner = token
                restartTime(of: claim.identifier, at: now)
            } else {
                runners.recordStuck(claim, at: token)
            }
        }
        // The app is running but does not claim these runs: they were lost with the previous process.
        return runs.filter { $0.value.runner == nil && runner.identifiers.contains($0.key) }.keys.sorted()
            .map { .lookUp($0, .lost(bootID: bootID)) }
    }

    /// Removes a process that has ended, and its runs with it.
    mutating func remove(_ token: WatchToken, bootID: String) -> [SessionEffect] {
        guard runners.remove(token) else { return [] }
        return runs.filter { $0.value.runner == token }.keys.sorted().map { .lookUp($0, .lost(bootID: bootID)) }
    }

    /// Restarts the deadlines of runs, because a clock that was set cannot measure how long they have run.
    mutating func recordClockChange(at now: WallTime) {
        for (name, active) in runs where active.runner != nil { restartTime(of: name, at: now) }
    }

    /// Looks up due tasks, and gives up runs past their deadline.
    mutating func ring(bootID: String, at now: WallTime) -> [SessionEffect] {
        var effects: [SessionEffect] = []
        while let name = alarms.popDue(at: now) {
            guard let active = runs[name] else {
                effects.append(.lookUp(name, nil))
                continue
            }
            if let token = active.runner {
                runners.recordStuck(TaskClaim(identifier: name, number: active.run.number), at: token)
            }
            effects.append(.lookUp(name, active.runner == nil ? .lost(bootID: bootID) : .overran))
        }
        return effects
    }

    /// Starts tasks that nothing delays.
    mutating func begin(
        isAttached: Bool, bootID: String, _ conditions: TaskConditions, at now: WallTime
    ) -> [SessionEffect] {
        inTurn = []
        waitingForApp = nil
        waitingForHandler = nil
        guard !due.isEmpty else { return [] }
        var running = runs.count
        var effects: [SessionEffect] = []
        for (name, due) in due.sorted(by: { ($0.value.since, $0.key) < ($1.value.since, $1.key) }) {
            let (app, token) = runners.choose(for: name, isAttached: isAttached)
            switch hold(due.request, isForced: due.isForced, app, running: running, conditions, at: now) {
            case nil:
                chosen[name] = token
                running += 1
                effects.append(.lookUp(name, .began(settings, bootID: bootID)))
            case .turn: inTurn.insert(name)
            // The last of the tasks that the user started.
            case .app where waitingForApp == nil || due.isForced:
                waitingForApp = WaitingTask(identifier: name, since: due.since, isForced: due.isForced)
            case .handler where waitingForHandler == nil: waitingForHandler = name
            case .app, .date, .throttled, .network, .power, .handler, .stillRunning: break
            }
        }
        return effects
    }

    /// Sends each process its runs if they changed.
    mutating func sendAssignments() -> [SessionEffect] {
        runners.tokens.compactMap { token in
            let mine = runs.values.filter { $0.runner == token }.map(\.run)
            let assignments = TaskAssignments(
                runs: mine.sorted { $0.request.identifier < $1.request.identifier },
                hasMore: !inTurn.isDisjoint(with: runners.identifiers(of: token)))
            return runners.recordReported(assignments, to: token) ? .notifyRunner(token, assignments) : nil
        }
    }

    /// When to check the tasks again.
    mutating func nextDate(at now: WallTime) -> WallTime? {
        let holdEnd = due.isEmpty ? nil : ThrottlePolicy.holdEnd(throttle, settings, at: now)
        return [alarms.next(), holdEnd].compactMap { $0 }.min()
    }

    /// Whether tasks need the service to keep running. Tasks that the app cannot be launched for wait until a process
    /// opens the session.
    func hasWorkAhead(canStart: Bool, isMissing: Bool) -> Bool {
        if !runs.isEmpty { return true }
        return alarms.hasAny && (canStart || !runners.isEmpty) || !due.isEmpty && canStart && !isMissing
    }

    /// Returns the status of a task.
    package func status(
        of record: BackgroundTaskRecord, isAttached: Bool, _ conditions: TaskConditions, at now: WallTime
    ) -> BackgroundTaskStatus {
        var status = BackgroundTaskStatus(
            identifier: record.identifier, request: record.nextRequest, nextDate: record.date, run: record.run,
            last: record.last, runs: record.runs)
        guard record.run == nil, let request = record.nextRequest else { return status }
        guard due[record.identifier] != nil else {
            status.hold = .date
            return status
        }
        let app = runners.choose(for: record.identifier, isAttached: isAttached).app
        status.hold = hold(request, isForced: record.isForced, app, running: runs.count, conditions, at: now)
        return status
    }

    private func hold(
        _ request: BackgroundTaskRequest, isForced: Bool, _ app: BackgroundTaskPolicy.App, running: Int,
        _ conditions: TaskConditions, at now: WallTime
    ) -> BackgroundTaskHold? {
        BackgroundTaskPolicy.hold(
            .init(
                request: request, isForced: isForced,
                isThrottled: ThrottlePolicy.holdEnd(throttle, settings, at: now) != nil, conditions: conditions,
                hasTurn: running < settings.concurrentRuns, app: app))
    }

    private func refusal(
        of request: BackgroundTaskRequest, replacing before: BackgroundTaskRecord?
    ) -> TransferFailure? {
        if let refusal = request.refusal { return refusal }
        let replaced = before?.pending?.request.kind == request.kind ? 1 : 0
        let limit = settings.limit(of: request.kind)
        guard pending[request.kind, default: 0] - replaced >= limit else { return nil }
        return TransferFailure(
            .tooManyPendingTaskRequests,
            "\(limit) requests of this kind are pending, which is the limit. Cancel one, or reuse a pending identifier."
        )
    }

    private func write(_ after: BackgroundTaskRecord, since before: BackgroundTaskRecord?) -> [SessionEffect] {
        guard after != before ?? BackgroundTaskRecord(identifier: after.identifier) else { return [] }
        guard after.isIdle, after.last == nil else { return [.write(.task(after))] }
        return before == nil ? [] : [.write(.noTask(after.identifier))]
    }

    private mutating func applyStanding(
        _ standing: BackgroundTaskMachine.Standing, at now: WallTime
    ) -> [SessionEffect] {
        let former = throttle
        switch standing {
        case .unchanged: return []
        case .good: throttle = ThrottlePolicy.recordReturn(throttle)
        case .strike: throttle = ThrottlePolicy.recordStrike(throttle, settings, at: now)
        }
        return throttle == former ? [] : [.write(.taskThrottle(throttle))]
    }

    private mutating func restartTime(of name: String, at now: WallTime) {
        guard let run = runs[name]?.run else { return }
        // The app enforces the deadline by its own clock, which does not jump. This deadline is for an app that does
        // not.
        alarms.set(name, at: now + run.budget + run.grace + .seconds(1))
    }

    /// Updates the schedule after a change of a task.
    private mutating func updateSchedule(
        from before: BackgroundTaskRecord?, to after: BackgroundTaskRecord, at now: WallTime
    ) {
        let name = after.identifier
        if let kind = before?.pending?.request.kind { pending[kind, default: 0] -= 1 }
        if let kind = after.pending?.request.kind { pending[kind, default: 0] += 1 }
        if let run = after.run {
            due[name] = nil
            runs[name] = ActiveRun(run: run, runner: runs[name]?.runner)
            return
        }
        runs[name] = nil
        guard let request = after.nextRequest, let date = after.date else {
            due[name] = nil
            return alarms.set(name, at: nil)
        }
        if date <= now {
            // If the user starts a task again, the time of the last start counts.
            let since = after.isForced ? date : due[name]?.since ?? now
            due[name] = Due(request: request, isForced: after.isForced, since: since)
            alarms.set(name, at: nil)
        } else {
            due[name] = nil
            alarms.set(name, at: date)
        }
    }
}

extension TaskMachine {
    /// The connected processes, as they would register themselves.
    package var presentRunners: [(token: WatchToken, runner: TaskRunner)] {
        runners.tokens.map { token in
            let claims = runs.filter { $0.value.runner == token }.map {
                TaskClaim(identifier: $0.key, number: $0.value.run.number)
            }
            return (token, TaskRunner(identifiers: Array(runners.identifiers(of: token)), claims: claims))
        }
    }
}
