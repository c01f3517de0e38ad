/// Background tasks: giving those that are due to the app. A run is on disk before the app hears of it, and its end before
/// the app is answered: whoever dies in between, the next owner knows what was begun.
///
/// The tasks' records lie in the store. The machine knows dates, what is due and what runs; to change a task it asks for its
/// record (`SessionEffect.lookUp`) and is fed it with what has happened to it.
package struct TaskMachine: Equatable, Sendable {
    /// How long after an opening a run waits for the process that has it: one that lives comes back at once.
    private static let reclaimTime = Duration.seconds(30)

    package private(set) var settings: BackgroundTaskSettings
    package private(set) var throttle: BackgroundTaskThrottle
    /// The next date of each task that has one: its own, or the end of its run's time.
    private var alarms = AlarmClock<String>()
    /// Those whose date has come.
    private var due: [String: Due] = [:]
    private(set) var runs: [String: ActiveRun] = [:]
    /// How many of each kind are pending.
    private var pending: [BackgroundTaskRequest.Kind: Int] = [:]
    private(set) var runners = TaskRunners()
    /// Who is about to be given a run.
    private var chosen: [String: WatchToken] = [:]
    /// Those that only wait for others to end.
    private var inTurn: Set<String> = []
    /// The first of those that only wait for the app to be started; one that a person asks for before the others.
    package private(set) var waitingForApp: WaitingTask?
    /// The first of those that the app, which is here, has declared no handler for.
    package private(set) var waitingForHandler: String?

    /// A task that is due, and that the app has to be started for.
    package struct WaitingTask: Equatable, Sendable {
        package var identifier: String
        package var since: WallTime
        /// Whether a person said that it runs now.
        package var isForced: Bool
    }

    /// A task that runs as soon as nothing holds it back.
    private struct Due: Equatable, Sendable {
        var request: BackgroundTaskRequest
        var isForced: Bool
        /// When it became so, here.
        var since: WallTime
    }

    /// A run that has begun and not ended.
    struct ActiveRun: Equatable, Sendable {
        var run: BackgroundTaskRun
        /// Whose it is; `nil` while nobody has claimed it after an opening.
        var runner: WatchToken?
    }

    /// As an earlier owner left it in the store.
    package init(
        settings: BackgroundTaskSettings = BackgroundTaskSettings(),
        throttle: BackgroundTaskThrottle = BackgroundTaskThrottle()
    ) {
        self.settings = settings
        self.throttle = throttle
    }

    /// Takes in a task that an earlier owner left.
    package mutating func load(_ record: BackgroundTaskRecord, at now: WallTime) {
        settle(from: nil, to: record, at: now)
        if record.run != nil { alarms.set(record.identifier, at: now + Self.reclaimTime) }
    }

    /// Something has happened to a task, whose record is `before`; without one there is nothing that anything but a
    /// request could happen to.
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
        settle(from: before, to: after, at: now)
        if case .began = event {
            runs[name]?.runner = chosen.removeValue(forKey: name)
            restartTime(of: name, at: now)
        }
        return (write(after, since: before) + judge(standing, at: now), standing)
    }

    /// The task has been looked up because its date has come.
    mutating func look(at record: BackgroundTaskRecord?, at now: WallTime) {
        if let record { settle(from: record, to: record, at: now) }
    }

    mutating func set(_ new: BackgroundTaskSettings) -> [SessionEffect] {
        if let refusal = new.refusal { return [.refuse(refusal)] }
        settings = new
        return [.write(.taskSettings(new))]
    }

    /// A handler has returned, or was given up there.
    mutating func hear(_ report: TaskReturn) -> [SessionEffect] {
        runners.noteReturned(report.claim)
        if report.outcome == .overran, let token = runs[report.claim.identifier]?.runner {
            runners.noteStuck(report.claim, at: token)
        }
        return [.lookUp(report.claim.identifier, .returned(report))]
    }

    /// A process has handlers, from now on until it is removed.
    mutating func add(
        _ token: WatchToken, _ runner: TaskRunner, bootID: String, at now: WallTime
    ) -> [SessionEffect] {
        runners.add(token, runner.identifiers)
        for claim in runner.claims {
            if let active = runs[claim.identifier], active.run.number == claim.number, active.runner == nil {
                runs[claim.identifier]?.runner = token
                restartTime(of: claim.identifier, at: now)
            } else {
                runners.noteStuck(claim, at: token)
            }
        }
        // The app is here and does not have them: they were lost with the process before it.
        return runs.filter { $0.value.runner == nil && runner.identifiers.contains($0.key) }.keys.sorted()
            .map { .lookUp($0, .lost(bootID: bootID)) }
    }

    /// A process is gone, and its runs with it.
    mutating func remove(_ token: WatchToken, bootID: String) -> [SessionEffect] {
        guard runners.remove(token) else { return [] }
        return runs.filter { $0.value.runner == token }.keys.sorted().map { .lookUp($0, .lost(bootID: bootID)) }
    }

    /// The clock was set. A run's time begins anew: how long it has run cannot be told by this clock.
    mutating func noteClockChange(at now: WallTime) {
        for (name, active) in runs where active.runner != nil { restartTime(of: name, at: now) }
    }

    /// What has come due is looked up, and runs whose time is over are given up.
    mutating func ring(bootID: String, at now: WallTime) -> [SessionEffect] {
        var effects: [SessionEffect] = []
        while let name = alarms.popDue(at: now) {
            guard let active = runs[name] else {
                effects.append(.lookUp(name, nil))
                continue
            }
            if let token = active.runner {
                runners.noteStuck(TaskClaim(identifier: name, number: active.run.number), at: token)
            }
            effects.append(.lookUp(name, active.runner == nil ? .lost(bootID: bootID) : .overran))
        }
        return effects
    }

    /// Begins what nothing holds back.
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
            // The latest of those that a person asks for.
            case .app where waitingForApp == nil || due.isForced:
                waitingForApp = WaitingTask(identifier: name, since: due.since, isForced: due.isForced)
            case .handler where waitingForHandler == nil: waitingForHandler = name
            case .app, .date, .throttled, .network, .power, .handler, .stillRunning: break
            }
        }
        return effects
    }

    /// Each process is told which runs are its own, if it does not know.
    mutating func tell() -> [SessionEffect] {
        runners.tokens.compactMap { token in
            let mine = runs.values.filter { $0.runner == token }.map(\.run)
            let assignments = TaskAssignments(
                runs: mine.sorted { $0.request.identifier < $1.request.identifier },
                hasMore: !inTurn.isDisjoint(with: runners.identifiers(of: token)))
            return runners.noteTold(assignments, to: token) ? .tellRunner(token, assignments) : nil
        }
    }

    /// When the tasks must be looked at again by themselves.
    mutating func nextDate(at now: WallTime) -> WallTime? {
        let holdEnd = due.isEmpty ? nil : ThrottlePolicy.holdEnd(throttle, settings, at: now)
        return [alarms.next(), holdEnd].compactMap { $0 }.min()
    }

    /// Whether tasks have something ahead that somebody has to be here for. Those that nobody is to be started for wait for
    /// whoever opens the session.
    func hasWorkAhead(canStart: Bool, isMissing: Bool) -> Bool {
        if !runs.isEmpty { return true }
        return alarms.hasAny && (canStart || !runners.isEmpty) || !due.isEmpty && canStart && !isMissing
    }

    /// How a task stands, for whoever asks.
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

    private mutating func judge(
        _ standing: BackgroundTaskMachine.Standing, at now: WallTime
    ) -> [SessionEffect] {
        let former = throttle
        switch standing {
        case .unchanged: return []
        case .good: throttle = ThrottlePolicy.noteReturn(throttle)
        case .strike: throttle = ThrottlePolicy.noteStrike(throttle, settings, at: now)
        }
        return throttle == former ? [] : [.write(.taskThrottle(throttle))]
    }

    private mutating func restartTime(of name: String, at now: WallTime) {
        guard let run = runs[name]?.run else { return }
        // The app ends the run by its own clock, which does not jump; this is for an app that does not.
        alarms.set(name, at: now + run.budget + run.grace + .seconds(1))
    }

    /// Nothing is asked of the task any more, or something else than before.
    private mutating func settle(
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
            // Whoever says so once more wants it from then on.
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
    /// The processes that are here, as they would present themselves.
    package var presentRunners: [(token: WatchToken, runner: TaskRunner)] {
        runners.tokens.map { token in
            let claims = runs.filter { $0.value.runner == token }.map {
                TaskClaim(identifier: $0.key, number: $0.value.run.number)
            }
            return (token, TaskRunner(identifiers: Array(runners.identifiers(of: token)), claims: claims))
        }
    }
}
