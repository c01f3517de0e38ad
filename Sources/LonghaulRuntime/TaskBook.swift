import LonghaulCore

/// What the loop knows of background tasks without asking the store. It follows the rows: a turn that does not reach its
/// commit puts it back.
struct TaskBook {
    var settings = BackgroundTaskSettings()
    var throttle = BackgroundTaskThrottle()
    /// The next date of each task that has one: its own, or the end of its run's time.
    var alarms = AlarmClock<String>()
    /// Those whose date has come.
    var due: [String: Due] = [:]
    var runs: [String: ActiveRun] = [:]
    /// How many of each kind are pending.
    var pending: [BackgroundTaskRequest.Kind: Int] = [:]

    /// A task that runs as soon as nothing holds it back.
    struct Due {
        var request: BackgroundTaskRequest
        var isForced: Bool
        /// When it became so, here.
        var since: WallTime
    }

    /// A run that has begun and not ended.
    struct ActiveRun {
        var run: BackgroundTaskRun
        /// Whose it is; `nil` while nobody has claimed it after an opening.
        var runner: WatchToken?
    }

    /// Nothing is asked of the task any more, or something else than before.
    mutating func settle(
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
            due[name] = Due(request: request, isForced: after.isForced, since: due[name]?.since ?? now)
            alarms.set(name, at: nil)
        } else {
            due[name] = nil
            alarms.set(name, at: date)
        }
    }
}

/// The processes that have declared handlers and are here.
struct TaskRunners {
    struct Runner {
        var identifiers: Set<String>
        /// Runs that were given up and have not returned there.
        var stuck: [String: Int64] = [:]
        var observer: @Sendable (TaskAssignments) -> Void
        var told: TaskAssignments?
    }

    private(set) var all: [WatchToken: Runner] = [:]

    mutating func add(
        _ token: WatchToken, _ runner: TaskRunner, _ observer: @escaping @Sendable (TaskAssignments) -> Void
    ) {
        all[token] = Runner(identifiers: Set(runner.identifiers), observer: observer)
    }

    mutating func remove(_ token: WatchToken) {
        all[token] = nil
    }

    mutating func noteStuck(_ claim: TaskClaim, at token: WatchToken) {
        all[token]?.stuck[claim.identifier] = claim.number
    }

    mutating func noteReturned(_ claim: TaskClaim) {
        for (token, runner) in all where runner.stuck[claim.identifier] == claim.number {
            all[token]?.stuck[claim.identifier] = nil
        }
    }

    /// Tells a runner what is its own, unless it knows.
    mutating func tell(_ assignments: TaskAssignments, to token: WatchToken) {
        guard let runner = all[token], runner.told != assignments else { return }
        all[token]?.told = assignments
        runner.observer(assignments)
    }

    /// Who could run a task, or why nobody can; the one that declared it last.
    func choose(for identifier: String, isAttached: Bool) -> (app: BackgroundTaskPolicy.App, token: WatchToken?) {
        let able = all.filter { $0.value.identifiers.contains(identifier) }
        let free = able.filter { $0.value.stuck[identifier] == nil }
        if let token = free.keys.max(by: { $0.number < $1.number }) { return (.ready, token) }
        if !able.isEmpty { return (.stuck, nil) }
        return (isAttached || !all.isEmpty ? .withoutHandler : .absent, nil)
    }
}
