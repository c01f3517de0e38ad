import LonghaulCore

extension CalendarRule: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        let days = Set(Weekday.allCases.filter { _ in chance.flag() })
        return .weekly(
            on: days.isEmpty ? [.monday] : days, hour: Int(chance.below(24)), minute: Int(chance.below(60)))
    }
}

extension BackgroundTaskRequest: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        BackgroundTaskRequest(
            chance.choice(), chance.text(), earliestBeginDate: chance.optional { $0.time() },
            repeats: chance.optional { .draw(&$0) }, requiresNetworkConnectivity: chance.flag(),
            requiresExternalPower: chance.flag())
    }
}

extension BackgroundTaskSettings: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var settings = BackgroundTaskSettings()
        settings.refreshBudget = chance.span()
        settings.processingBudget = chance.span()
        settings.grace = chance.span()
        settings.concurrentRuns = chance.integer()
        settings.throttleFirst = chance.span()
        settings.throttleLongest = chance.span()
        settings.enforcesAppleLimits = chance.flag()
        return settings
    }
}

extension BackgroundTaskThrottle: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var throttle = BackgroundTaskThrottle()
        throttle.strikes = chance.count()
        throttle.lastStrikeAt = chance.optional { $0.time() }
        throttle.until = chance.optional { $0.time() }
        return throttle
    }
}

extension BackgroundTaskRun: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        BackgroundTaskRun(
            number: chance.number(), request: .draw(&chance), startedAt: chance.time(), budget: chance.span(),
            grace: chance.span(), attempt: chance.count(), bootID: chance.text())
    }
}

extension BackgroundTaskResult: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        BackgroundTaskResult(
            number: chance.number(), startedAt: chance.time(), endedAt: chance.time(), outcome: chance.choice(),
            message: chance.text())
    }
}

extension BackgroundTaskRecord: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var record = BackgroundTaskRecord(identifier: chance.text())
        record.pending = chance.optional {
            Pending(request: .draw(&$0), date: $0.time(), isForced: $0.flag())
        }
        record.owed = chance.optional {
            OutstandingRun(request: .draw(&$0), since: $0.time(), attempts: $0.count(), isForced: $0.flag())
        }
        record.run = chance.optional { .draw(&$0) }
        record.last = chance.optional { .draw(&$0) }
        record.runs = chance.number()
        record.doneDay = chance.optional { LocalDay($0.integer()) }
        return record
    }
}

extension BackgroundTaskStatus: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        BackgroundTaskStatus(
            identifier: chance.text(), request: chance.optional { .draw(&$0) }, nextDate: chance.optional { $0.time() },
            hold: chance.optional { $0.choice() }, run: chance.optional { .draw(&$0) },
            last: chance.optional { .draw(&$0) }, runs: chance.number())
    }
}

extension TaskClaim: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TaskClaim(identifier: chance.text(), number: chance.number())
    }
}

extension TaskRunner: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TaskRunner(identifiers: chance.list { $0.text() }, claims: chance.list { .draw(&$0) })
    }
}

extension TaskAssignments: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TaskAssignments(runs: chance.list { .draw(&$0) }, hasMore: chance.flag())
    }
}

extension TaskReturn: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TaskReturn(claim: .draw(&chance), outcome: chance.choice(), message: chance.text())
    }
}

extension TaskPage: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TaskPage(
            tasks: chance.list { .draw(&$0) }, hasMore: chance.flag(), throttle: .draw(&chance),
            settings: .draw(&chance))
    }
}
