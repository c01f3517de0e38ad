/// The conditions under which transfers run. Both the rules of the session and those of the transfer must be
/// met.
///
/// Only reported conditions stop a transfer: if no source reports whether a network is metered, Longhaul
/// treats it as not metered.
public struct ConditionRules: Equatable, Sendable {
    /// The kind of link of the default route.
    @nonexhaustive public enum LinkKind: Equatable, Sendable, CaseIterable {
        /// No source reports it.
        case unknown
        /// A cable.
        case wired
        /// Wi-Fi.
        case wifi
        /// A modem.
        case mobile
        /// A tunnel, over any kind of link.
        case vpn
        /// Any other kind, such as Bluetooth.
        case other
    }

    /// Whether transfers run on metered networks, where traffic may cost money (Apple: `allowsExpensiveNetworkAccess`).
    public var allowsExpensiveNetworkAccess: Bool
    /// Whether transfers run while the connection is in data-saver mode (Apple: `allowsConstrainedNetworkAccess`).
    public var allowsConstrainedNetworkAccess: Bool
    /// Whether transfers run while roaming.
    public var allowsRoaming: Bool
    /// Whether transfers require external power (Apple: `requiresExternalPower`).
    public var requiresExternalPower: Bool
    /// Whether transfers wait for a good moment (Apple: `isDiscretionary`): a network that is neither metered
    /// nor constrained, and external power or a battery that is not low. They start after all transfers that
    /// are not discretionary.
    public var isDiscretionary: Bool
    /// Whether transfers yield to all other traffic of the machine and its link (Apple: the network service
    /// type `background`). Discretionary transfers always yield. Their connections use HTTP/1.1.
    public var yieldsToOtherTraffic: Bool
    /// Only in these hours; `nil` at any time.
    public var hours: TimeWindow?
    /// The allowed kinds of link; empty for any. A link of unknown kind is allowed.
    public var links: Set<LinkKind>
    /// Whether transfers require an idle machine.
    public var requiresIdleMachine: Bool
    /// The minimum charge of the battery in percent, without external power; `nil` for any level.
    public var leastBatteryLevel: Int?

    /// Allows everything at any time.
    public init(
        allowsExpensiveNetworkAccess: Bool = true, allowsConstrainedNetworkAccess: Bool = true,
        allowsRoaming: Bool = true, requiresExternalPower: Bool = false, isDiscretionary: Bool = false,
        yieldsToOtherTraffic: Bool = false, hours: TimeWindow? = nil, links: Set<LinkKind> = [],
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

    /// Why the conditions are invalid; `nil` if they are valid.
    package var refusal: TransferFailure? {
        if let leastBatteryLevel, !(1...100).contains(leastBatteryLevel) {
            return TransferFailure(.invalidArgument, "The battery level must be from 1 to 100 percent.")
        }
        guard let hours, !hours.isValid else { return nil }
        return TransferFailure(
            .invalidArgument, "A time window must start and end at two different times of day, such as 22:00 and 06:00."
        )
    }
}

/// When and how fast the transfers of a session run, and how many of them at once.
///
/// ```swift
/// var rules = try await session.rules()
/// rules.rateLimit = 2 << 20
/// rules.transferLimit = 4
/// try await session.setRules(rules)
/// ```
public struct SessionRules: Equatable, Sendable {
    /// The conditions that each transfer of the session must meet.
    public var conditions: ConditionRules
    package var traffic: TrafficLimits
    /// `nil` keeps the session's limits.
    package var limits: SessionLimits?

    package init(
        conditions: ConditionRules = ConditionRules(), traffic: TrafficLimits = TrafficLimits(),
        limits: SessionLimits? = nil
    ) {
        self.conditions = conditions
        self.traffic = traffic
        self.limits = limits
    }

    /// Creates rules without restrictions and with the default limits.
    public init() {
        self.init(limits: SessionLimits())
    }

    /// The rate limit in bytes per second, for both directions together; `nil` for no limit.
    public var rateLimit: Int64? {
        get { traffic.rateLimit }
        set { traffic.rateLimit = newValue }
    }

    /// Rate limits for certain hours. The first open window replaces ``rateLimit``.
    public var rateWindows: [RateWindow] {
        get { traffic.timetable }
        set { traffic.timetable = newValue }
    }

    /// How many bytes may be transferred over metered networks per local day; `nil` for no limit.
    public var dataBudgetPerDay: Int64? {
        get { traffic.budget.bytesPerDay }
        set { traffic.budget.bytesPerDay = newValue }
    }

    /// How many bytes may be transferred over metered networks per local month; `nil` for no limit.
    public var dataBudgetPerMonth: Int64? {
        get { traffic.budget.bytesPerMonth }
        set { traffic.budget.bytesPerMonth = newValue }
    }

    /// How many transfers run at once; `nil` for the default, 16. Transfers that the user waits for
    /// (``TransferOptions/isAttended``) exceed the default, but never a limit that is set.
    public var transferLimit: Int? {
        get { limits?.chosenTotal }
        set { limits = limits.changed { $0.chosenTotal = newValue } }
    }

    /// How many transfers run at once with one host (Apple: `httpMaximumConnectionsPerHost`); `nil` for the default, 6. Attended
    /// transfers exceed the default, as does one transfer with a higher priority than all that run there.
    public var transferLimitPerHost: Int? {
        get { limits?.chosenPerHost }
        set { limits = limits.changed { $0.chosenPerHost = newValue } }
    }

    /// How many transfers share one HTTP/2 or HTTP/3 connection to a host; `nil` for the default. The default is 100, or the smaller
    /// of the two limits above if one of them is set.
    public var streamLimitPerHost: Int? {
        get { limits?.chosenStreams }
        set { limits = limits.changed { $0.chosenStreams = newValue } }
    }

    /// How many transfers of a group run at once, by the name of the group. Other groups are not limited separately.
    public var transferLimitPerGroup: [String: Int] {
        get { limits?.perGroup ?? [:] }
        set { limits = limits.changed { $0.perGroup = newValue } }
    }

    /// Why the rules are invalid; `nil` if they are valid.
    package var refusal: TransferFailure? {
        if traffic.transfers != nil {
            return TransferFailure(
                .invalidArgument, "The traffic limits of a session must not limit transfers. Set transferLimit.")
        }
        return conditions.refusal ?? traffic.refusal
    }
}

extension SessionLimits? {
    fileprivate func changed(_ change: (inout SessionLimits) -> Void) -> SessionLimits {
        var limits = self ?? SessionLimits()
        change(&limits)
        return limits
    }
}

/// The user's settings for all sessions, stored in the state directory and read by each process that runs a session.
package struct UserSettings: Equatable, Sendable {
    /// Conditions that the user overrides.
    package var override: ConditionsOverride
    /// Limits of rate and data for all sessions together.
    package var traffic: TrafficLimits
    /// Whether the settings before these were lost, until the user acknowledges it.
    package var isLost: Bool

    /// Initializes settings without overrides or limits.
    package init(
        override: ConditionsOverride = ConditionsOverride(), traffic: TrafficLimits = TrafficLimits(),
        isLost: Bool = false
    ) {
        self.override = override
        self.traffic = traffic
        self.isLost = isLost
    }
}
