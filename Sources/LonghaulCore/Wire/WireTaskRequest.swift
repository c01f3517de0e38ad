extension BackgroundTaskRequest: WireRecord {
    package static var blank: Self { Self(.appRefresh, "") }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&kind, 1)
        try wire.text(&identifier, 2)
        try wire.time(&earliestBeginDate, 3)
        try wire.flag(&requiresNetworkConnectivity, 4)
        try wire.flag(&requiresExternalPower, 5)
        try wire.message(&repeats, 6)
    }
}

extension CalendarRule: WireRecord {
    package static var blank: Self { Self(hour: 0, minute: 0, weekdays: Set(Weekday.allCases)) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&hour, 1)
        try wire.integer(&minute, 2)
        try wire.bits(&weekdays, 3)
    }

    /// The search for the next time of a rule that never applies would not end.
    package func complete() throws(WireError) {
        guard isValid else { throw .unknownValue }
    }
}

extension BackgroundTaskSettings: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.always(&refreshBudget, 1)
        try wire.always(&processingBudget, 2)
        try wire.always(&grace, 3)
        try wire.always(&concurrentRuns, 4)
        try wire.always(&throttleFirst, 5)
        try wire.always(&throttleLongest, 6)
        try wire.flag(&enforcesAppleLimits, 7)
    }
}

extension BackgroundTaskThrottle: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.count(&strikes, 1)
        try wire.time(&lastStrikeAt, 2)
        try wire.time(&until, 3)
    }
}
