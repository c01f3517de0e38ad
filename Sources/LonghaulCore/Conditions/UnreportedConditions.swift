/// A condition of the machine that a rule depends on.
package enum ReportedCondition: CaseIterable, Equatable, Sendable {
    case metered, dataSaver, roaming, link, externalPower, batteryLevel, idle
}

extension ConditionRules {
    /// Returns the conditions that the rules depend on, and that neither a source nor the user reports. Such a rule holds no transfer
    /// back.
    package func unreported(in conditions: Conditions) -> [ReportedCondition] {
        // Without a network there is nothing to report about it.
        let isConnected = conditions.isReachable != false
        let mayRoam = conditions.link == .unknown || conditions.link == .mobile
        return ReportedCondition.allCases.filter { condition in
            switch condition {
            case .metered:
                (!allowsExpensiveNetworkAccess || isDiscretionary) && isConnected && conditions.isExpensive == nil
            case .dataSaver: !allowsConstrainedNetworkAccess && conditions.isConstrained == nil
            case .roaming: !allowsRoaming && isConnected && mayRoam && conditions.isRoaming == nil
            case .link: !links.isEmpty && isConnected && conditions.link == .unknown
            case .externalPower: (requiresExternalPower || isDiscretionary) && conditions.hasExternalPower == nil
            // A machine without a battery has no level.
            case .batteryLevel:
                leastBatteryLevel != nil && conditions.batteryLevel == nil && conditions.hasExternalPower == nil
            case .idle: requiresIdleMachine && conditions.isIdle == nil
            }
        }
    }
}

extension ConditionRules {
    /// Returns the names of the properties that have no effect under these conditions.
    package func unreportedProperties(in conditions: Conditions) -> [String] {
        let unreported = Set(unreported(in: conditions))
        let moments: Set<ReportedCondition> = [.metered, .externalPower]
        let properties: [(name: String, isSet: Bool, needs: Set<ReportedCondition>)] = [
            ("allowsExpensiveNetworkAccess", !allowsExpensiveNetworkAccess, [.metered]),
            ("allowsConstrainedNetworkAccess", !allowsConstrainedNetworkAccess, [.dataSaver]),
            ("allowsRoaming", !allowsRoaming, [.roaming]), ("links", !links.isEmpty, [.link]),
            ("requiresExternalPower", requiresExternalPower, [.externalPower]),
            ("isDiscretionary", isDiscretionary, moments),
            ("leastBatteryLevel", leastBatteryLevel != nil, [.batteryLevel]),
            ("requiresIdleMachine", requiresIdleMachine, [.idle]),
        ]
        return properties.filter { $0.isSet && $0.needs.isSubset(of: unreported) }.map(\.name)
    }
}
