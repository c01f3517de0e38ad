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
    public var links: Set<Conditions.Link>
    /// Only while nobody uses the machine.
    public var requiresIdleMachine: Bool
    /// Without external power, only while the battery is at least that full, in percent; `nil` for any level.
    public var leastBatteryLevel: Int?

    /// Allows everything at any time.
    public init(
        allowsExpensiveNetworkAccess: Bool = true, allowsConstrainedNetworkAccess: Bool = true,
        allowsRoaming: Bool = true, requiresExternalPower: Bool = false, isDiscretionary: Bool = false,
        yieldsToOtherTraffic: Bool = false, hours: DayHours? = nil, links: Set<Conditions.Link> = [],
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
    package var refusal: TransferFailure? { conditions.refusal ?? traffic.refusal }
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

/// A change of one transfer that exists.
package struct TransferAdjustment: Equatable, Sendable {
    /// Another limit, in bytes a second: 0 lifts the one it has, `nil` leaves it.
    package var rateLimit: Int64?
    /// Whether it goes on whatever the conditions are, its date, its hours and the data budget included; `nil` leaves it as it
    /// is.
    package var ignoresConditions: Bool?
    /// Another priority; `nil` leaves the one it has.
    package var priority: Int?

    /// Changes what is not `nil`.
    package init(rateLimit: Int64? = nil, ignoresConditions: Bool? = nil, priority: Int? = nil) {
        self.rateLimit = rateLimit
        self.ignoresConditions = ignoresConditions
        self.priority = priority
    }

    /// The priorities that there are.
    package static let priorities = -1_000_000...1_000_000

    /// What is wrong with it, if anything is.
    package var refusal: TransferFailure? {
        if let priority, !Self.priorities.contains(priority) {
            return TransferFailure(.invalidArgument, "A priority is a number from -1000000 to 1000000.")
        }
        guard let rateLimit, rateLimit < 0 else { return nil }
        return TransferFailure(.invalidArgument, "A rate is a number of bytes a second; 0 lifts the limit.")
    }
}
