/// What is known of the machine's network and power. Nothing here is a guess: what nobody tells is `unknown`, which is
/// neither yes nor no.
public struct Conditions: Equatable, Sendable {
    /// An answer that may be missing.
    public enum Answer: Int, Equatable, Sendable, CaseIterable {
        /// Nobody tells.
        case unknown = 0
        /// It is not so.
        case no = 1
        /// It is so.
        case yes = 2
    }

    /// What the network leads to.
    public enum Network: Int, Equatable, Sendable, CaseIterable {
        /// Nobody tells.
        case unknown = 0
        /// No route leads out of the machine over a working link.
        case none = 1
        /// A portal wants a login first.
        case captive = 2
        /// A route leads out over a working link: by default, by the rules of a VPN, or to a local
        /// network alone.
        case reachable = 3
    }

    /// What kind of link the default route takes.
    public enum LinkKind: Int, Equatable, Sendable, CaseIterable {
        /// Nobody tells.
        case unknown = 0
        /// A cable.
        case wired = 1
        /// Wi-Fi.
        case wifi = 2
        /// A modem.
        case mobile = 3
        /// A tunnel, whatever it goes over.
        case vpn = 4
        /// Something else, such as Bluetooth.
        case other = 5
    }

    /// What the network leads to.
    public var network: Network
    /// Whether traffic costs money (Apple: `NWPath.isExpensive`; NetworkManager: `Metered`).
    public var isExpensive: Answer
    /// Whether the person asked for little traffic (Apple: Low Data Mode, `NWPath.isConstrained`). No Linux service tells:
    /// it is set by hand.
    public var isConstrained: Answer
    /// Whether a modem is registered with a foreign network (ModemManager: registration state 5).
    public var isRoaming: Answer
    /// Whether the machine runs on external power (UPower: not `OnBattery`).
    public var hasExternalPower: Answer
    /// Whether the battery is low (UPower: `WarningLevel` low or worse, or at most 20 percent while discharging).
    public var isBatteryLow: Answer
    /// Whether the machine is about to sleep or to shut down (logind: `PrepareForSleep`, `PrepareForShutdown`).
    public var isAboutToSleep: Bool
    /// What kind of link the default route takes (NetworkManager: `PrimaryConnectionType`).
    public var link: LinkKind
    /// Whether nobody uses the machine at the moment (logind: `IdleHint`, which desktops set).
    public var isIdle: Answer
    /// How full the battery is, in percent; `nil` where nobody tells or there is none (UPower).
    public var batteryLevel: Int?

    /// Nothing is known.
    public init(
        network: Network = .unknown, isExpensive: Answer = .unknown, isConstrained: Answer = .unknown,
        isRoaming: Answer = .unknown, hasExternalPower: Answer = .unknown, isBatteryLow: Answer = .unknown,
        isAboutToSleep: Bool = false, link: LinkKind = .unknown, isIdle: Answer = .unknown, batteryLevel: Int? = nil
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

/// What a person says about the conditions, against or instead of what is measured; `nil` leaves a condition to the
/// measurement.
package struct ConditionsOverride: Equatable, Sendable {
    /// What the network leads to.
    package var network: Conditions.Network?
    /// Whether traffic costs money.
    package var isExpensive: Conditions.Answer?
    /// Whether the connection is in data-saver mode.
    package var isConstrained: Conditions.Answer?
    /// Whether the network is a foreign one.
    package var isRoaming: Conditions.Answer?
    /// Whether the machine runs on external power.
    package var hasExternalPower: Conditions.Answer?
    /// Whether the battery is low.
    package var isBatteryLow: Conditions.Answer?
    /// What kind of link the default route takes.
    package var link: Conditions.LinkKind?
    /// Whether nobody uses the machine.
    package var isIdle: Conditions.Answer?

    /// Overrides nothing.
    package init() {}
}

extension Conditions {
    /// The conditions as the person wants them seen.
    package func overridden(by override: ConditionsOverride) -> Conditions {
        Conditions(
            network: override.network ?? network, isExpensive: override.isExpensive ?? isExpensive,
            isConstrained: override.isConstrained ?? isConstrained, isRoaming: override.isRoaming ?? isRoaming,
            hasExternalPower: override.hasExternalPower ?? hasExternalPower,
            isBatteryLow: override.isBatteryLow ?? isBatteryLow, isAboutToSleep: isAboutToSleep,
            link: override.link ?? link, isIdle: override.isIdle ?? isIdle, batteryLevel: batteryLevel)
    }
}

/// What is measured, what was said by hand, and so what holds.
package struct ConditionsReport: Equatable, Sendable {
    /// What the sources tell.
    package var measured: Conditions
    /// What was said by hand.
    package var override: ConditionsOverride

    /// Takes both.
    package init(measured: Conditions = Conditions(), override: ConditionsOverride = ConditionsOverride()) {
        self.measured = measured
        self.override = override
    }

    /// What holds.
    package var effective: Conditions { measured.overridden(by: override) }
}
