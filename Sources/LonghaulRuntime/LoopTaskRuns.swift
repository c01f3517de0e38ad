import LonghaulCore
import LonghaulStore

/// Who has handlers, and which runs are theirs.
extension SessionLoop {
    /// A process has handlers, from now on until `unwatch`.
    func addRunner(
        _ token: WatchToken, _ runner: TaskRunner, _ observer: @escaping @Sendable (TaskAssignments) -> Void
    ) throws(TransferFailure) {
        runners.add(token, runner, observer)
        for claim in runner.claims {
            if let active = tasks.runs[claim.identifier], active.run.number == claim.number, active.runner == nil {
                tasks.runs[claim.identifier]?.runner = token
                restartTime(of: claim.identifier)
            } else {
                runners.noteStuck(claim, at: token)
            }
        }
        // The app is here and does not have them: they were lost with the process before it.
        let known = Set(runner.identifiers)
        for (name, active) in tasks.runs where active.runner == nil && known.contains(name) {
            try feedTask(name, .lost(bootID: environment.bootID))
        }
    }

    /// A process is gone, and its runs with it.
    func removeRunner(_ token: WatchToken) throws(TransferFailure) {
        runners.remove(token)
        for (name, active) in tasks.runs where active.runner == token {
            try feedTask(name, .lost(bootID: environment.bootID))
        }
    }

    /// The clock was set, or the time zone changed. A run's time begins anew: how long it has run cannot be told by this clock.
    func noteClockChange() throws(TransferFailure) {
        var names: [String] = []
        try store.forEachTask { record in
            if record.pending?.request.repeats != nil { names.append(record.identifier) }
        }
        for name in names { try feedTask(name, .clockChanged) }
        for (name, active) in tasks.runs where active.runner != nil { restartTime(of: name) }
    }

    /// What has come due is noted, runs whose time is over are given up, and what nothing holds back is begun.
    func advanceTasks() throws(TransferFailure) {
        while let name = tasks.alarms.popDue(at: now) {
            if let active = tasks.runs[name] {
                if let token = active.runner {
                    runners.noteStuck(TaskClaim(identifier: name, number: active.run.number), at: token)
                }
                try feedTask(name, active.runner == nil ? .lost(bootID: environment.bootID) : .overran)
            } else if let record = try store.task(name) {
                tasks.settle(from: record, to: record, at: now)
            }
        }
        try beginRuns(at: now)
    }

    /// After the commit: each process is told which runs are its own.
    func tellRunners() {
        guard !runners.all.isEmpty else { return }
        for (token, runner) in runners.all {
            let mine = tasks.runs.values.filter { $0.runner == token }.map(\.run)
            let assignments = TaskAssignments(
                runs: mine.sorted { $0.request.identifier < $1.request.identifier },
                hasMore: tasksInTurn.contains { runner.identifiers.contains($0) })
            runners.tell(assignments, to: token)
        }
    }

    private var taskConditions: TaskConditions {
        var conditions = environment.conditions()
        switch surroundings.conditions.hasExternalPower {
        case .unknown: break
        case .no: conditions.hasExternalPower = false
        case .yes: conditions.hasExternalPower = true
        }
        return conditions
    }

    private func beginRuns(at now: WallTime) throws(TransferFailure) {
        tasksInTurn = []
        session.waitingTask = nil
        guard !tasks.due.isEmpty else { return }
        let needsToKnow = tasks.due.values.contains {
            $0.request.requiresNetworkConnectivity || $0.request.requiresExternalPower
        }
        let conditions = needsToKnow ? taskConditions : TaskConditions()
        let throttledUntil = ThrottlePolicy.holdEnd(tasks.throttle, tasks.settings, at: now)
        let order = tasks.due.sorted { ($0.value.since, $0.key) < ($1.value.since, $1.key) }
        for (name, due) in order {
            let (app, token) = runners.choose(for: name, isAttached: session.attendance.isAttached)
            let hold = BackgroundTaskPolicy.hold(
                .init(
                    request: due.request, isForced: due.isForced, isThrottled: throttledUntil != nil,
                    conditions: conditions, hasTurn: tasks.runs.count < tasks.settings.concurrentRuns, app: app))
            switch hold {
            case nil:
                try feedTask(name, .began(tasks.settings, bootID: environment.bootID))
                tasks.runs[name]?.runner = token
                restartTime(of: name)
            case .turn: tasksInTurn.insert(name)
            case .app where session.waitingTask == nil:
                session.waitingTask = SessionMachine.WaitingTask(name, since: due.since)
            case .app, .date, .throttled, .network, .power, .handler, .stillRunning: break
            }
        }
    }

    private func restartTime(of name: String) {
        guard let run = tasks.runs[name]?.run else { return }
        // The app ends the run by its own clock, which does not jump; this is for an app that does not.
        tasks.alarms.set(name, at: now + run.budget + run.grace + .seconds(1))
    }
}
