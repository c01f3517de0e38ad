/// Decides whether a transfer may run under the current conditions.
package enum ConditionPolicy {
    package enum Verdict: Equatable, Sendable {
        case allowed
        /// The reason to wait, and when it ends; `nil` if only a change of the conditions ends it.
        case waiting(Waiting.Reason, until: WallTime?)
    }

    /// Returns the decision by the rules of the session and of the transfer, all of which must be satisfied.
    package static func decide(
        _ rules: [ConditionRules], _ conditions: Conditions, at now: WallTime, in zone: TimeZoneRules
    ) -> Verdict {
        if conditions.isAboutToSleep { return .waiting(.sleep, until: nil) }
        // A captive portal answers instead of the server.
        if conditions.network == .captive { return .waiting(.network, until: nil) }
        for rule in rules {
            if let reason = reason(rule, conditions) { return .waiting(reason, until: nil) }
        }
        // The allowed time window comes last: it opens at a known time, and the user should first see reasons that they
        // can change.
        let closed = rules.compactMap(\.hours).filter { !$0.contains(minute: zone.minute(of: now)) }
        if let date = closed.map({ zone.next(minute: $0.from, after: now) }).max() {
            return .waiting(.hours, until: date)
        }
        return .allowed
    }

    /// Returns when the clock ends an allowed transfer; `nil` if never.
    package static func closing(
        _ rules: [ConditionRules], after now: WallTime, in zone: TimeZoneRules
    ) -> WallTime? {
        rules.compactMap(\.hours).map { zone.next(minute: $0.to, after: now) }.min()
    }

    private static func reason(_ rules: ConditionRules, _ conditions: Conditions) -> Waiting.Reason? {
        let avoidsCost = !rules.allowsExpensiveNetworkAccess || rules.isDiscretionary
        if avoidsCost, conditions.isExpensive == true { return .metered }
        let avoidsTraffic = !rules.allowsConstrainedNetworkAccess || rules.isDiscretionary
        if avoidsTraffic, conditions.isConstrained == true { return .constrained }
        if !rules.allowsRoaming, conditions.isRoaming == true { return .roaming }
        if !rules.links.isEmpty, conditions.link != .unknown, !rules.links.contains(conditions.link) { return .link }
        if rules.requiresIdleMachine, conditions.isIdle == false { return .idle }
        if rules.requiresExternalPower, conditions.hasExternalPower == false { return .power }
        if conditions.hasExternalPower == true { return nil }
        if let least = rules.leastBatteryLevel, let level = conditions.batteryLevel, level < least { return .battery }
        return rules.isDiscretionary && conditions.isBatteryLow == true ? .battery : nil
    }
}

extension Waiting.Reason {
    /// Whether the conditions, the allowed time window, or the budget delay the transfer, rather than its own progress.
    package var isCondition: Bool {
        switch self {
        case .metered, .constrained, .roaming, .power, .battery, .hours, .budget, .sleep, .link, .idle:
            true
        case .turn, .notBefore, .retry, .network, .diskSpace, .credentials, .serverBusy, .predecessor, .clock,
            .mount, .unlock:
            false
        }
    }

    /// All reasons with `isCondition`.
    package static let conditions = allCases.filter(\.isCondition)
}
