import LonghaulCore

/// Background tasks, for the user.
struct TaskText {
    let session: SessionID
    let world: World
    let throttle: BackgroundTaskThrottle

    var heading: [String] {
        guard let until = throttle.until.map(world.localTime) else { return [] }
        return [
            tr(
                "Throttled until \(until): handlers exceeded their time limit or crashed (strikes: \(throttle.strikes))."
            )
        ]
    }

    func lines(of task: BackgroundTaskStatus) -> [String] {
        var rows = [(tr("Next"), next(task))]
        if let rule = task.request?.repeats { rows.append((tr("Again"), rule.text)) }
        if let last = task.last {
            let end = "\(last.outcome.text), \(world.localTime(last.endedAt))"
            rows.append((tr("Last"), last.message.isEmpty ? end : end + ": " + DisplayText.clean(last.message)))
        }
        return [DisplayText.clean(task.identifier)] + rows.map { "  " + DisplayText.fit($0.0, 8) + $0.1 }
    }

    /// Describes the effect of a forced run.
    func outcome(ofRunning task: BackgroundTaskStatus, _ wake: WakeStatus) -> String {
        let name = DisplayText.clean(task.identifier)
        if task.run != nil || task.hold == nil { return tr("\(name) is running.") }
        guard task.hold == .app else { return tr("\(name) runs \(next(task)).") }
        switch wake.hold {
        case nil, .waking: return tr("\(name) runs when its app, which is starting, has started.")
        case .notRegistered: return tr("\(name) runs when its app starts; the app has not registered how to start it.")
        case .launchEventsOff, .nothingToTell, .attached, .backingOff, .runByApp:
            return tr("\(name) runs \(next(task)).")
        }
    }

    private func next(_ task: BackgroundTaskStatus) -> String {
        if let run = task.run {
            let start = world.localTime(run.startedAt)
            return run.attempt > 1 ? tr("running since \(start), attempt \(run.attempt)") : tr("running since \(start)")
        }
        guard let date = task.nextDate else { return tr("not pending") }
        switch task.hold {
        case nil: return tr("now")
        case .date: return tr("at \(world.localTime(date))")
        case .throttled: return tr("when the app is no longer throttled")
        case .network: return tr("when a network is available")
        case .power: return tr("when external power is connected")
        case .app: return tr("when the app is running (longhaul session \(session))")
        case .handler: return tr("when the running app registers a handler for it")
        case .stillRunning: return tr("when the handler of the abandoned run returns")
        case .turn: return tr("when another handler has returned")
        }
    }
}

extension JSONWriter {
    /// The members of a task's status.
    mutating func members(of task: BackgroundTaskStatus, _ throttle: BackgroundTaskThrottle) {
        member("identifier", task.identifier)
        member("kind", (task.request ?? task.run?.request)?.kind.word)
        member("nextDate", task.nextDate)
        member("hold", task.hold?.word)
        member("repeats", task.request?.repeats?.text)
        member("requiresNetworkConnectivity", task.request?.requiresNetworkConnectivity ?? false)
        member("requiresExternalPower", task.request?.requiresExternalPower ?? false)
        member("isRunning", task.run != nil)
        member("startedAt", task.run?.startedAt)
        member("attempt", task.run?.attempt)
        member("runs", task.runs)
        member("lastOutcome", task.last?.outcome.word)
        member("lastEndedAt", task.last?.endedAt)
        member("lastMessage", task.last.flatMap { $0.message.isEmpty ? nil : $0.message })
        member("strikes", throttle.strikes)
        member("throttledUntil", throttle.until)
    }
}

extension CalendarRule {
    fileprivate var text: String {
        let time = HumanText.twoDigits(Int64(hour)) + ":" + HumanText.twoDigits(Int64(minute))
        if weekdays.count == Weekday.allCases.count { return tr("daily \(time)") }
        let names = Weekday.allCases.filter { weekdays.contains($0) }.map(\.word)
        return names.joined(separator: ",") + " " + time
    }
}

extension CalendarRule.Weekday {
    fileprivate var word: String {
        switch self {
        case .sunday: tr("Sun")
        case .monday: tr("Mon")
        case .tuesday: tr("Tue")
        case .wednesday: tr("Wed")
        case .thursday: tr("Thu")
        case .friday: tr("Fri")
        case .saturday: tr("Sat")
        }
    }
}

extension BackgroundTaskRequest.Kind {
    fileprivate var word: String {
        switch self {
        case .appRefresh: "appRefresh"
        case .processing: "processing"
        }
    }
}

extension BackgroundTaskHold {
    fileprivate var word: String {
        switch self {
        case .date: "date"
        case .throttled: "throttled"
        case .network: "network"
        case .power: "power"
        case .app: "app"
        case .handler: "handler"
        case .stillRunning: "stillRunning"
        case .turn: "turn"
        }
    }
}

extension BackgroundTaskResult.Outcome {
    fileprivate var word: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .expired: "expired"
        case .overran: "overran"
        case .lost: "lost"
        }
    }

    fileprivate var text: String {
        switch self {
        case .succeeded: tr("succeeded")
        case .failed: tr("failed")
        case .expired: tr("stopped at its time limit")
        case .overran: tr("exceeded its time limit")
        case .lost: tr("ended with its app")
        }
    }
}
