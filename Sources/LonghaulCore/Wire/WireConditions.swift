extension ConditionRules: WireRecord {
    package static var blank: Self { Self() }

    /// Permissions that are granted by default are written if they are denied, so that an empty message allows everything.
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

extension TimeWindow: WireRecord {
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
        try wire.answer(&isExpensive, 2)
        try wire.answer(&isConstrained, 3)
        try wire.answer(&isRoaming, 4)
        try wire.answer(&hasExternalPower, 5)
        try wire.answer(&isBatteryLow, 6)
        try wire.flag(&isAboutToSleep, 7)
        try wire.choice(&link, 8)
        try wire.answer(&isIdle, 9)
        try wire.integer(&batteryLevel, 10)
    }
}

extension ConditionsOverride: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.choice(&network, 1)
        try wire.answer(optional: &isExpensive, 2)
        try wire.answer(optional: &isConstrained, 3)
        try wire.answer(optional: &isRoaming, 4)
        try wire.answer(optional: &hasExternalPower, 5)
        try wire.answer(optional: &isBatteryLow, 6)
        try wire.choice(&link, 7)
        try wire.answer(optional: &isIdle, 8)
    }
}

extension ConditionsReport: WireRecord {
    package static var blank: Self { Self() }

    package mutating func fields(_ wire: inout WireFields) throws(WireError) {
        try wire.message(&measured, 1)
        try wire.message(&override, 2)
    }
}

/// A Boolean that no source may report.
package enum Answer: Int, WireNumbered {
    case unknown = 0
    case no = 1
    case yes = 2

    init(_ value: Bool?) { self = value.map { $0 ? .yes : .no } ?? .unknown }

    var value: Bool? { self == .unknown ? nil : self == .yes }
}

extension WireFields {
    fileprivate mutating func answer(_ value: inout Bool?, _ number: Int) throws(WireError) {
        var answer = Answer(value)
        try choice(&answer, number)
        value = answer.value
    }

    fileprivate mutating func answer(optional value: inout Bool?, _ number: Int) throws(WireError) {
        var answer = value.map { Answer($0) }
        try choice(&answer, number)
        value = answer?.value
    }
}
