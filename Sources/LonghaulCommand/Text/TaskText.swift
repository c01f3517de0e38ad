import LonghaulCore

/// How background tasks stand, for a person to read.
struct TaskText {
    let session: SessionID
    let world: World
    let throttle: BackgroundTaskThrottle

    var heading: [String] {
        guard let until = throttle.until else { return [] }
        return ["Throttled until \(world.localTime(until)): handlers overran or crashed (\(throttle.strikes) strikes)."]
    }

    func lines(of task: BackgroundTaskStatus) -> [String] {
        var lines = [DisplayText.clean(task.identifier), "  " + DisplayText.fit("Next", 8) + next(task)]
        if let rule = task.request?.repeats { lines.append("  " + DisplayText.fit("Again", 8) + rule.text) }
        if let last = task.last {
            let message = last.message.isEmpty ? "" : ": " + DisplayText.clean(last.message)
            lines.append(
                "  " + DisplayText.fit("Last", 8) + "\(last.outcome.text), \(world.localTime(last.endedAt))\(message)")
        }
        return lines
    }

    /// What a task does that was just told to run.
    func outcome(ofRunning task: BackgroundTaskStatus, _ wake: WakeStatus) -> String {
        let name = DisplayText.clean(task.identifier)
        if task.run != nil || task.hold == nil { return "\(name) runs now" }
        guard task.hold == .app else { return "\(name) runs " + next(task) }
        switch wake.hold {
        case nil, .waking: return "\(name) runs when its app is there, which is being started"
        case .notRegistered: return "\(name) runs when its app is there, which has not said how it is started"
        case .launchEventsOff, .nothingToTell, .attached, .backingOff, .runByApp: return "\(name) runs " + next(task)
        }
    }

    private func next(_ task: BackgroundTaskStatus) -> String {
        if let run = task.run {
            let attempt = run.attempt > 1 ? ", try \(run.attempt)" : ""
            return "runs since \(world.localTime(run.startedAt))\(attempt)"
        }
        guard let date = task.nextDate else { return "nothing pending" }
        switch task.hold {
        case nil: return "now"
        case .date: return world.localTime(date)
        case .throttled: return "when the app is not throttled any more"
        case .network: return "when there is a network"
        case .power: return "when there is external power"
        case .app: return "when the app is there: longhaul session \(session) tells how it is started"
        case .handler: return "when the app, which is there, declares a handler for it"
        case .stillRunning: return "when the app's handler returns from the run that was given up"
        case .turn: return "when another handler has returned"
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
        if weekdays.count == Weekday.allCases.count { return "daily \(time)" }
        let names = Weekday.allCases.filter { weekdays.contains($0) }.map(\.word)
        return names.joined(separator: ",") + " " + time
    }
}

extension CalendarRule.Weekday {
    fileprivate var word: String {
        switch self {
        case .sunday: "Sun"
        case .monday: "Mon"
        case .tuesday: "Tue"
        case .wednesday: "Wed"
        case .thursday: "Thu"
        case .friday: "Fri"
        case .saturday: "Sat"
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
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .expired: "ended by its time limit"
        case .overran: "overran its time limit"
        case .lost: "lost with the app"
        }
    }
}
