/// The state of the machine's network and power. A value is `nil` or `unknown` if no source reports it.
public struct Conditions: Equatable, Sendable {
    /// The reach of the network.
    package enum Network: Equatable, Sendable, CaseIterable {
        /// No source reports it.
        case unknown
        /// No working link has a route to the outside.
        case none
        /// A captive portal requires a login.
        case captive
        /// A route leads out over a working link: by default, by the rules of a VPN, or to a local
        /// network alone.
        case reachable
    }

    package typealias LinkKind = ConditionRules.LinkKind

    /// The reach of the network.
    package var network: Network
    /// Whether a route leads out of the machine over a working link that requires no login.
    public var isReachable: Bool? {
        get { network == .unknown ? nil : network == .reachable }
        set { network = newValue.map { $0 ? .reachable : .none } ?? .unknown }
    }
    /// Whether the network is metered (Apple: `NWPath.isExpensive`; NetworkManager: `Metered`).
    public var isExpensive: Bool?
    /// Whether the user asked for little traffic (Apple: Low Data Mode, `NWPath.isConstrained`). No Linux
    /// service reports it: `longhaul conditions set` does.
    public var isConstrained: Bool?
    /// Whether a modem is registered with a foreign network (ModemManager: registration state 5).
    public var isRoaming: Bool?
    /// Whether the machine runs on external power (UPower: not `OnBattery`).
    public var hasExternalPower: Bool?
    /// Whether the battery is low (UPower: `WarningLevel` low or worse, or at most 20 percent while
    /// discharging).
    package var isBatteryLow: Bool?
    /// Whether the machine is about to sleep or to shut down (logind: `PrepareForSleep`, `PrepareForShutdown`).
    package var isAboutToSleep: Bool
    /// The kind of link of the default route (NetworkManager: `PrimaryConnectionType`).
    public var link: ConditionRules.LinkKind
    /// Whether the machine is idle (logind: `IdleHint`, which desktops set).
    public var isIdle: Bool?
    /// The charge of the battery in percent; `nil` if there is no battery or no source reports it (UPower).
    public var batteryLevel: Int?

    /// Creates conditions; `nil` and `unknown` stand for what no source reports.
    public init(
        isReachable: Bool? = nil, isExpensive: Bool? = nil, isConstrained: Bool? = nil, isRoaming: Bool? = nil,
        hasExternalPower: Bool? = nil, isBatteryLow: Bool? = nil, isAboutToSleep: Bool = false,
        link: ConditionRules.LinkKind = .unknown, isIdle: Bool? = nil, batteryLevel: Int? = nil
    ) {
        self.init(
            network: .unknown, isExpensive: isExpensive, isConstrained: isConstrained, isRoaming: isRoaming,
            hasExternalPower: hasExternalPower, isBatteryLow: isBatteryLow, isAboutToSleep: isAboutToSleep, link: link,
            isIdle: isIdle, batteryLevel: batteryLevel)
        self.isReachable = isReachable
    }

    package init(
        network: Network, isExpensive: Bool? = nil, isConstrained: Bool? = nil, isRoaming: Bool? = nil,
        hasExternalPower: Bool? = nil, isBatteryLow: Bool? = nil, isAboutToSleep: Bool = false,
        link: LinkKind = .unknown, isIdle: Bool? = nil, batteryLevel: Int? = nil
    ) {
        self.network = network
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isRoaming = isRoaming
        self.hasExternalPower = hasExternalPower
        self.isBatteryLow = isBatteryLow
        self.isAboutToSleep = isAboutToSleep
        self.link = link
        self.isIdle = isIdle
        self.batteryLevel = batteryLevel
    }
}

/// Conditions that the user set by hand, instead of the measured ones; `nil` keeps the measured value.
package struct ConditionsOverride: Equatable, Sendable {
    /// The reach of the network.
    package var network: Conditions.Network?
    /// Whether the network is metered.
    package var isExpensive: Bool?
    /// Whether the connection is in data-saver mode.
    package var isConstrained: Bool?
    /// Whether the mobile network is roaming.
    package var isRoaming: Bool?
    /// Whether the machine runs on external power.
    package var hasExternalPower: Bool?
    /// Whether the battery is low.
    package var isBatteryLow: Bool?
    /// The kind of link of the default route.
    package var link: Conditions.LinkKind?
    /// Whether the machine is idle.
    package var isIdle: Bool?

    /// Overrides nothing.
    package init() {}
}

extension Conditions {
    /// Returns the conditions with the values that the user set.
    package func overridden(by override: ConditionsOverride) -> Conditions {
        Conditions(
            network: override.network ?? network, isExpensive: override.isExpensive ?? isExpensive,
            isConstrained: override.isConstrained ?? isConstrained, isRoaming: override.isRoaming ?? isRoaming,
            hasExternalPower: override.hasExternalPower ?? hasExternalPower,
            isBatteryLow: override.isBatteryLow ?? isBatteryLow, isAboutToSleep: isAboutToSleep,
            link: override.link ?? link, isIdle: override.isIdle ?? isIdle, batteryLevel: batteryLevel)
    }
}

/// The measured conditions and those that the user set.
package struct ConditionsReport: Equatable, Sendable {
    /// The values of the sources.
    package var measured: Conditions
    /// The values that the user set.
    package var override: ConditionsOverride

    /// Initializes both.
    package init(measured: Conditions = Conditions(), override: ConditionsOverride = ConditionsOverride()) {
        self.measured = measured
        self.override = override
    }

    /// The conditions that apply.
    package var effective: Conditions { measured.overridden(by: override) }
}
