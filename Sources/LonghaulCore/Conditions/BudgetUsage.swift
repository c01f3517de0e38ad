/// Bytes taken from a budget. Bytes are taken before they are transferred, and unused ones are returned: a process that dies leaves too
/// many recorded, never too few.
package struct BudgetUsage: Equatable, Sendable {
    /// The counted local day, in days since 1970.
    package var day: Int64
    /// Bytes counted on that day.
    package var bytesOfDay: Int64
    /// The counted local month, in months since the year 0.
    package var month: Int64
    /// Bytes counted in that month.
    package var bytesOfMonth: Int64

    /// Initializes every value.
    package init(day: Int64 = 0, bytesOfDay: Int64 = 0, month: Int64 = 0, bytesOfMonth: Int64 = 0) {
        self.day = day
        self.bytesOfDay = bytesOfDay
        self.month = month
        self.bytesOfMonth = bytesOfMonth
    }

    /// Begins a new day or month if one has started. A time just before the recorded one comes from a change of the time zone or
    /// the clock, and must not reset a budget twice; one far before means that the clock was wrong.
    package mutating func turn(at now: WallTime, in zone: TimeZoneRules) {
        let (today, thisMonth) = (zone.day(of: now), zone.month(of: now))
        if today > day || today < day - 1 { (day, bytesOfDay) = (today, 0) }
        if thisMonth > month || thisMonth < month - 1 { (month, bytesOfMonth) = (thisMonth, 0) }
    }

    /// Returns the rest of a budget; `nil` without a limit.
    package func remaining(of budget: DataBudget) -> Int64? {
        let rests = [
            budget.bytesPerDay.map { $0 - bytesOfDay }, budget.bytesPerMonth.map { $0 - bytesOfMonth },
        ]
        return rests.compactMap { $0 }.min().map { max(0, $0) }
    }

    /// Returns when the budget has bytes again, if it is used up.
    package func release(of budget: DataBudget, in zone: TimeZoneRules) -> WallTime? {
        if let limit = budget.bytesPerMonth, bytesOfMonth >= limit { return zone.start(ofMonth: month + 1) }
        if let limit = budget.bytesPerDay, bytesOfDay >= limit { return zone.instant(day: day + 1, minute: 0) }
        return nil
    }

    /// Counts bytes; a negative number returns them.
    package mutating func count(_ bytes: Int64) {
        bytesOfDay = max(0, bytesOfDay + bytes)
        bytesOfMonth = max(0, bytesOfMonth + bytes)
    }
}

/// A session's rules, and the usage of its budget.
package struct SessionRulesReport: Equatable, Sendable {
    /// The rules in force.
    package var rules: SessionRules
    /// The usage of the session's own budget.
    package var usage: BudgetUsage

    /// Initializes both.
    package init(rules: SessionRules = SessionRules(), usage: BudgetUsage = BudgetUsage()) {
        self.rules = rules
        self.usage = usage
    }
}

/// The limits for all sessions of a user, and the usage of their budget.
package struct UserTrafficReport: Equatable, Sendable {
    /// The limits in force.
    package var limits: TrafficLimits
    /// The usage of the common budget by all sessions.
    package var usage: BudgetUsage

    /// Initializes both.
    package init(limits: TrafficLimits = TrafficLimits(), usage: BudgetUsage = BudgetUsage()) {
        self.limits = limits
        self.usage = usage
    }
}
