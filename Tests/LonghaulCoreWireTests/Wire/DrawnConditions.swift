import LonghaulCore

extension TimeWindow: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        TimeWindow(from: chance.integer(), to: chance.integer())
    }
}

extension ConditionRules: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ConditionRules(
            allowsExpensiveNetworkAccess: chance.flag(), allowsConstrainedNetworkAccess: chance.flag(),
            allowsRoaming: chance.flag(), requiresExternalPower: chance.flag(), isDiscretionary: chance.flag(),
            yieldsToOtherTraffic: chance.flag(),
            hours: chance.optional { .draw(&$0) },
            links: chance.flag() ? [.wired, .vpn] : chance.flag() ? [] : [.wifi], requiresIdleMachine: chance.flag(),
            leastBatteryLevel: chance.optional { $0.integer() })
    }
}

extension Conditions: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        Conditions(
            network: chance.choice(), isExpensive: chance.optional { $0.flag() },
            isConstrained: chance.optional { $0.flag() },
            isRoaming: chance.optional { $0.flag() }, hasExternalPower: chance.optional { $0.flag() },
            isBatteryLow: chance.optional { $0.flag() },
            isAboutToSleep: chance.flag(), link: chance.choice(), isIdle: chance.optional { $0.flag() },
            batteryLevel: chance.optional { $0.integer() })
    }
}

extension ConditionsOverride: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var override = ConditionsOverride()
        override.network = chance.optional { $0.choice() }
        override.isExpensive = chance.optional { $0.flag() }
        override.isConstrained = chance.optional { $0.flag() }
        override.isRoaming = chance.optional { $0.flag() }
        override.hasExternalPower = chance.optional { $0.flag() }
        override.isBatteryLow = chance.optional { $0.flag() }
        override.link = chance.optional { $0.choice() }
        override.isIdle = chance.optional { $0.flag() }
        return override
    }
}

extension ConditionsReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        ConditionsReport(measured: .draw(&chance), override: .draw(&chance))
    }
}

extension TrafficLimits: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var limits = TrafficLimits(
            rateLimit: chance.optional { $0.number() },
            timetable: chance.list { chance in
                SessionRules.RateWindow(
                    days: Set(CalendarRule.Weekday.allCases.filter { _ in chance.integer() % 2 == 0 }),
                    hours: .draw(&chance),
                    rateLimit: chance.optional { $0.number() })
            },
            budget: DataBudget(
                bytesPerDay: chance.optional { $0.number() }, bytesPerMonth: chance.optional { $0.number() }))
        limits.transfers = chance.optional { $0.integer() }
        return limits
    }
}

extension BudgetUsage: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        BudgetUsage(
            day: chance.number(), bytesOfDay: chance.length(), month: chance.number(), bytesOfMonth: chance.length())
    }
}

extension SessionRules: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        SessionRules(conditions: .draw(&chance), traffic: .draw(&chance), limits: chance.optional { .draw(&$0) })
    }
}

extension SessionRulesReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        SessionRulesReport(rules: .draw(&chance), usage: .draw(&chance))
    }
}

extension UserSettings: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        UserSettings(override: .draw(&chance), traffic: .draw(&chance), isLost: chance.flag())
    }
}

extension UserTrafficReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        UserTrafficReport(limits: .draw(&chance), usage: .draw(&chance))
    }
}

extension TransferAdjustment: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var adjustment = TransferAdjustment(
            rateLimit: chance.optional { $0.number() }, ignoresConditions: chance.optional { $0.flag() },
            priority: chance.optional { $0.integer() })
        adjustment.earliestBeginDate = chance.optional { $0.time() }
        adjustment.retryLimit = chance.optional { $0.integer() }
        adjustment.timeoutIntervalForResource = chance.optional { $0.span() }
        adjustment.progressTimeout = chance.optional { $0.span() }
        adjustment.destination = chance.optional { chance in
            var destination = TransferAdjustment.Destination(
                directory: chance.text(), fileName: chance.optional { $0.text() })
            destination.mountPoint = chance.optional { $0.text() }
            return destination
        }
        adjustment.group = chance.optional { $0.text() }
        adjustment.makesAttended = chance.flag()
        adjustment.retries = chance.flag()
        adjustment.conditions = chance.optional { .draw(&$0) }
        adjustment.predecessor = chance.optional { chance in
            .init(chance.optional { .draw(&$0) }, followsFailure: chance.flag())
        }
        adjustment.segments = chance.optional { $0.integer() }
        adjustment.notifications = chance.optional { $0.choice() }
        adjustment.wakesAppWhenFinished = chance.optional { $0.flag() }
        return adjustment
    }
}
