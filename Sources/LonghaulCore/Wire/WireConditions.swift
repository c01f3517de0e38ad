extension ConditionRules: WireRecord {
    package static var blank: Self { Self() }

    /// What is allowed by default is written when it is forbidden, so that nothing written is everything allowed.
    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.flag(inverted: &allowsExpensiveNetworkAccess, 1)
        try wire.flag(inverted: &allowsConstrainedNetworkAccess, 2)
        try wire.flag(inverted: &allowsRoaming, 3)
        try wire.flag(&requiresExternalPower, 4)
        try wire.flag(&isDiscretionary, 5)
        try wire.message(&hours, 6)
        try wire.flag(&yieldsToOtherTraffic, 7)
        try wire.bits(&links, 8)
        try wire.flag(&requiresIdleMachine, 9)
        try wire.integer(&leastBatteryLevel, 10)
    }
}

extension DayHours: WireRecord {
    package static var blank: Self { Self(from: 0, to: 0) }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.integer(&from, 1)
        try wire.integer(&to, 2)
    }
}

extension Conditions: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&network, 1)
        try wire.choice(&isExpensive, 2)
        try wire.choice(&isConstrained, 3)
        try wire.choice(&isRoaming, 4)
        try wire.choice(&hasExternalPower, 5)
        try wire.choice(&isBatteryLow, 6)
        try wire.flag(&isAboutToSleep, 7)
        try wire.choice(&link, 8)
        try wire.choice(&isIdle, 9)
        try wire.integer(&batteryLevel, 10)
    }
}

extension ConditionsOverride: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&network, 1)
        try wire.choice(&isExpensive, 2)
        try wire.choice(&isConstrained, 3)
        try wire.choice(&isRoaming, 4)
        try wire.choice(&hasExternalPower, 5)
        try wire.choice(&isBatteryLow, 6)
        try wire.choice(&link, 7)
        try wire.choice(&isIdle, 8)
    }
}

extension ConditionsReport: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&measured, 1)
        try wire.message(&override, 2)
    }
}
