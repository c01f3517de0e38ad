import LonghaulCore

extension DayHours: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        DayHours(from: chance.integer(), to: chance.integer())
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
            network: chance.choice(), isExpensive: chance.choice(), isConstrained: chance.choice(),
            isRoaming: chance.choice(), hasExternalPower: chance.choice(), isBatteryLow: chance.choice(),
            isAboutToSleep: chance.flag(), link: chance.choice(), isIdle: chance.choice(),
            batteryLevel: chance.optional { $0.integer() })
    }
}

extension ConditionsOverride: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        var override = ConditionsOverride()
        override.network = chance.optional { $0.choice() }
        override.isExpensive = chance.optional { $0.choice() }
        override.isConstrained = chance.optional { $0.choice() }
        override.isRoaming = chance.optional { $0.choice() }
        override.hasExternalPower = chance.optional { $0.choice() }
        override.isBatteryLow = chance.optional { $0.choice() }
        override.link = chance.optional { $0.choice() }
        override.isIdle = chance.optional { $0.choice() }
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
                RateWindow(
                    days: Weekdays(rawValue: chance.integer()), hours: .draw(&chance),
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
        SessionRules(conditions: .draw(&chance), traffic: .draw(&chance))
    }
}

extension SessionRulesReport: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        SessionRulesReport(rules: .draw(&chance), usage: .draw(&chance))
    }
}

extension UserSettings: Drawable {
    static func draw(_ chance: inout Chance) -> Self {
        UserSettings(override: .draw(&chance), traffic: .draw(&chance))
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
        return adjustment
    }
}
