extension TrafficLimits: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&rateLimit, 1)
        try wire.messages(&timetable, 2)
        try wire.signed(&budget.bytesPerDay, 3)
        try wire.signed(&budget.bytesPerMonth, 4)
        try wire.integer(&transfers, 5)
    }
}

extension SessionRules.RateWindow: WireRecord {
    package static var blank: Self { Self(days: [], hours: .blank, rateLimit: nil) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        // One bit for each day, Monday first.
        let order = CalendarRule.Weekday.isoOrder
        var bits = order.indices.reduce(0) { days.contains(order[$1]) ? $0 | 1 << $1 : $0 }
        try wire.integer(&bits, 1)
        days = Set(order.indices.filter { bits & 1 << $0 != 0 }.map { order[$0] })
        try wire.message(&hours, 2)
        try wire.signed(&rateLimit, 3)
    }
}

extension SessionRules: WireRecord {
    package static var blank: Self { Self(limits: nil) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&conditions, 1)
        try wire.message(&traffic, 2)
        try wire.message(&limits, 3)
    }
}

extension SessionRulesReport: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&rules, 1)
        try wire.message(&usage, 2)
    }
}

extension UserSettings: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        // An empty or cut file must not read as no settings.
        try wire.required(&override, 1)
        try wire.required(&traffic, 2)
        try wire.flag(&isLost, 3)
    }
}

extension UserTrafficReport: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&limits, 1)
        try wire.message(&usage, 2)
    }
}

extension BudgetUsage: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&day, 1)
        try wire.length(&bytesOfDay, 2)
        try wire.signed(&month, 3)
        try wire.length(&bytesOfMonth, 4)
    }
}

extension TransferAdjustment: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.signed(&rateLimit, 1)
        try wire.flag(&ignoresConditions, 2)
        try wire.integer(&priority, 3)
        try wire.time(&earliestBeginDate, 4)
        try wire.integer(&retryLimit, 5)
        try wire.span(&timeoutIntervalForResource, 6)
        try wire.span(&progressTimeout, 7)
        try wire.message(&destination, 8)
        try wire.text(&group, 9)
        try wire.flag(&makesAttended, 10)
        try wire.flag(&retries, 11)
        try wire.message(&conditions, 12)
        try wire.message(&predecessor, 13)
        try wire.integer(&segments, 14)
        try wire.choice(&notifications, 15)
        try wire.flag(&wakesAppWhenFinished, 16)
    }
}

extension TransferAdjustment.Predecessor: WireRecord {
    package static var blank: Self { Self(nil) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&id, 1)
        try wire.flag(&followsFailure, 2)
    }
}

extension TransferAdjustment.Destination: WireRecord {
    package static var blank: Self { Self(directory: "", fileName: nil) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.text(&directory, 1)
        try wire.text(&fileName, 2)
        try wire.text(&mountPoint, 3)
    }
}

/// The payload of `SessionCommand.adjust`.
struct AdjustRequest: WireRecord {
    var adjustment: TransferAdjustment
    var selection: TransferSelection

    static var blank: Self {
        Self(adjustment: TransferAdjustment(), selection: .all)
    }

    mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&adjustment, 1)
        try wire.required(&selection, 2)
    }
}
