/// Under which conditions bytes may be moved. A session has such rules and each transfer; what moves must satisfy both.
///
/// Only what is known stops a transfer: where nobody tells whether a network is metered, it is not treated as metered.
public struct ConditionRules: Equatable, Sendable {
    /// Whether transfers run on metered networks, where traffic may cost money (Apple: `allowsExpensiveNetworkAccess`).
    public var allowsExpensiveNetworkAccess: Bool
    /// Whether transfers run while the connection is in data-saver mode (Apple: `allowsConstrainedNetworkAccess`).
    public var allowsConstrainedNetworkAccess: Bool
    /// Whether transfers run while roaming.
    public var allowsRoaming: Bool
    /// Only while the machine is on external power (Apple: `requiresExternalPower`).
    public var requiresExternalPower: Bool
    /// Can wait for a good moment (Apple: `isDiscretionary`): an unmetered network that is not constrained, and
    /// external power or a battery that is not low. In the queue it comes after all that are not discretionary.
    public var isDiscretionary: Bool
    /// Makes room for all other traffic of the machine and of its link (Apple: the network service type `background`): it takes what
    /// nobody else wants. What is discretionary does so too. Its connections speak HTTP/1.1.
    public var yieldsToOtherTraffic: Bool
    /// Only in these hours; `nil` at any time.
    public var hours: DayHours?
    /// Only over these kinds of link; empty for any. A link of which nobody tells the kind is taken as well.
    public var links: Set<Conditions.LinkKind>
    /// Only while nobody uses the machine.
    public var requiresIdleMachine: Bool
    /// Without external power, only while the battery is at least that full, in percent; `nil` for any level.
    public var leastBatteryLevel: Int?

    /// Allows everything at any time.
    public init(
        allowsExpensiveNetworkAccess: Bool = true, allowsConstrainedNetworkAccess: Bool = true,
        allowsRoaming: Bool = true, requiresExternalPower: Bool = false, isDiscretionary: Bool = false,
        yieldsToOtherTraffic: Bool = false, hours: DayHours? = nil, links: Set<Conditions.LinkKind> = [],
        requiresIdleMachine: Bool = false, leastBatteryLevel: Int? = nil
    ) {
        self.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        self.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        self.allowsRoaming = allowsRoaming
        self.requiresExternalPower = requiresExternalPower
        self.isDiscretionary = isDiscretionary
        self.yieldsToOtherTraffic = yieldsToOtherTraffic
        self.hours = hours
        self.links = links
        self.requiresIdleMachine = requiresIdleMachine
        self.leastBatteryLevel = leastBatteryLevel
    }

    /// What is wrong with them, if anything is.
    package var refusal: TransferFailure? {
        if let leastBatteryLevel, !(1...100).contains(leastBatteryLevel) {
            return TransferFailure(.invalidArgument, "A battery's level is from 1 to 100 percent.")
        }
        guard let hours, !hours.isValid else { return nil }
        return TransferFailure(
            .invalidArgument, "Hours begin and end at two different times of a day, such as 22:00 and 06:00.")
    }
}

/// Everything that a session says about when and how fast its bytes move.
public struct SessionRules: Equatable, Sendable {
    /// The conditions for all of its transfers.
    public var conditions: ConditionRules
    /// Limits of rate and of data.
    public var traffic: TrafficLimits

    /// No rules.
    public init(conditions: ConditionRules = ConditionRules(), traffic: TrafficLimits = TrafficLimits()) {
        self.conditions = conditions
        self.traffic = traffic
    }

    /// What is wrong with them, if anything is.
    package var refusal: TransferFailure? {
        if traffic.transfers != nil {
            return TransferFailure(
                .invalidArgument, "How many transfers of a session run at once is said by its limits.")
        }
        return conditions.refusal ?? traffic.refusal
    }
}

/// What a person says for all sessions: kept in the state directory, and read by whoever runs a session.
package struct UserSettings: Equatable, Sendable {
    /// What is said about the conditions by hand.
    package var override: ConditionsOverride
    /// Limits of rate and of data for all sessions together.
    package var traffic: TrafficLimits

    /// Nothing is said.
    package init(override: ConditionsOverride = ConditionsOverride(), traffic: TrafficLimits = TrafficLimits()) {
        self.override = override
        self.traffic = traffic
    }
}
