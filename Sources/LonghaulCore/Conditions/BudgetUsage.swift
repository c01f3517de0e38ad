/// What was taken from a budget. Bytes are taken before they are moved and given back when they were not, so that a
/// process that dies leaves too much written down, and never too little.
package struct BudgetUsage: Equatable, Sendable {
    /// The local day it counts, in days since 1970.
    package var day: Int64
    /// Bytes taken on that day.
    package var bytesOfDay: Int64
    /// The local month it counts, in months since the year 0.
    package var month: Int64
    /// Bytes taken in that month.
    package var bytesOfMonth: Int64

    /// Takes every value.
    package init(day: Int64 = 0, bytesOfDay: Int64 = 0, month: Int64 = 0, bytesOfMonth: Int64 = 0) {
        self.day = day
        self.bytesOfDay = bytesOfDay
        self.month = month
        self.bytesOfMonth = bytesOfMonth
    }

    /// Begins a new day or month when one has begun. A date just before the recorded one comes from a change of the
    /// time zone or of the clock, and opens no budget twice; one far before means that the clock had been wrong.
    package mutating func turn(at now: WallTime, in zone: TimeZoneRules) {
        let (today, thisMonth) = (zone.day(of: now), zone.month(of: now))
        if today > day || today < day - 1 { (day, bytesOfDay) = (today, 0) }
        if thisMonth > month || thisMonth < month - 1 { (month, bytesOfMonth) = (thisMonth, 0) }
    }

    /// What is left of a budget; `nil` without limit.
    package func remaining(of budget: DataBudget) -> Int64? {
        let rests = [
            budget.bytesPerDay.map { $0 - bytesOfDay }, budget.bytesPerMonth.map { $0 - bytesOfMonth },
        ]
        return rests.compactMap { $0 }.min().map { max(0, $0) }
    }

    /// When there is something again, if there is nothing now.
    package func release(of budget: DataBudget, in zone: TimeZoneRules) -> WallTime? {
        if let limit = budget.bytesPerMonth, bytesOfMonth >= limit { return zone.start(ofMonth: month + 1) }
        if let limit = budget.bytesPerDay, bytesOfDay >= limit { return zone.instant(day: day + 1, minute: 0) }
        return nil
    }

    /// Counts bytes; a negative number gives back.
    package mutating func count(_ bytes: Int64) {
        bytesOfDay = max(0, bytesOfDay + bytes)
        bytesOfMonth = max(0, bytesOfMonth + bytes)
    }
}

/// A session's rules, and what it has taken from its budget.
package struct SessionRulesReport: Equatable, Sendable {
    /// The rules in force.
    package var rules: SessionRules
    /// What was taken from the session's own budget.
    package var usage: BudgetUsage

    /// Takes both.
    package init(rules: SessionRules = SessionRules(), usage: BudgetUsage = BudgetUsage()) {
        self.rules = rules
        self.usage = usage
    }
}

/// The limits for all sessions of a user, and what was taken from their budget.
package struct UserTrafficReport: Equatable, Sendable {
    /// The limits in force.
    package var limits: TrafficLimits
    /// What all sessions took from the common budget.
    package var usage: BudgetUsage

    /// Takes both.
    package init(limits: TrafficLimits = TrafficLimits(), usage: BudgetUsage = BudgetUsage()) {
        self.limits = limits
        self.usage = usage
    }
}
