/// Unprocessed values of the condition sources; `nil` if a value was not reported, or its source has exited.
package struct Readings: Equatable, Sendable {
    /// Whether the kernel has a route to the outside over a working link (rtnetlink).
    package var hasRoute: Bool?
    /// NetworkManager's `Metered` (NMMetered): 0 unknown, 1 yes, 2 no, 3 guessed yes, 4 guessed no.
    package var metered: UInt32?
    /// NetworkManager's `Connectivity` (NMConnectivityState): 0 unknown, 1 none, 2 portal, 3 limited, 4 full.
    package var connectivity: UInt32?
    /// ModemManager: whether a modem is registered with a foreign network; `nil` if none is registered.
    package var isRegisteredAbroad: Bool?
    /// NetworkManager: whether the primary connection uses a modem.
    package var isMobile: Bool?
    /// NetworkManager's `PrimaryConnectionType`: the name of a setting, such as `802-11-wireless`; empty without a connection.
    package var linkType: String?
    /// logind's `IdleHint`.
    package var isIdle: Bool?
    /// UPower's `OnBattery`.
    package var isOnBattery: Bool?
    /// UPower's `WarningLevel` of the display device: 1 none, 2 discharging (a UPS), 3 low, 4 critical, 5 action.
    package var batteryWarning: UInt32?
    /// UPower's `Percentage` of the display device, if one is present.
    package var batteryPercentage: Int?
    /// Whether logind sent `PrepareForSleep` or `PrepareForShutdown`, and has not cancelled it.
    package var isAboutToSleep = false

    package init() {}
}

/// Translates readings into conditions.
package enum ConditionsEvaluator {
    /// A discharging battery is low at this level and below; UPower's default for a warning.
    package static let lowPercentage = 20

    /// `earlier` are the previous conditions, which stay if the readings are inconclusive.
    package static func evaluate(_ readings: Readings, earlier: Conditions = Conditions()) -> Conditions {
        Conditions(
            network: network(readings), isExpensive: expensive(readings, earlier: earlier.isExpensive),
            isConstrained: nil, isRoaming: roaming(readings),
            hasExternalPower: readings.isOnBattery.map { !$0 }, isBatteryLow: batteryLow(readings),
            isAboutToSleep: readings.isAboutToSleep, link: link(readings), isIdle: readings.isIdle,
            batteryLevel: readings.batteryPercentage)
    }

    private static func link(_ readings: Readings) -> Conditions.LinkKind {
        switch readings.linkType {
        case nil, "": .unknown
        case "802-3-ethernet", "pppoe", "adsl", "bond", "bridge", "team", "vlan": .wired
        case "802-11-wireless", "802-11-olpc-mesh": .wifi
        case "gsm", "cdma": .mobile
        case "vpn", "wireguard", "tun", "ip-tunnel": .vpn
        case _?: .other
        }
    }

    private static func network(_ readings: Readings) -> Conditions.Network {
        switch (readings.hasRoute, readings.connectivity) {
        case (_, 2): .captive
        // NetworkManager knows only the links that it manages, but the kernel's route counts.
        case (true, _): .reachable
        case (false, _): .none
        case (nil, _): .unknown
        }
    }

    private static func expensive(_ readings: Readings, earlier: Bool?) -> Bool? {
        switch readings.metered {
        case 1, 3: true
        case 2, 4: false
        // Between two networks NetworkManager reports "unknown", which is inconclusive without a route.
        case 0 where readings.hasRoute != true: earlier
        default: nil
        }
    }

    /// A modem abroad does not mean roaming while the bytes use another link.
    private static func roaming(_ readings: Readings) -> Bool? {
        if readings.isMobile == false { return false }
        return readings.isRegisteredAbroad
    }

    private static func batteryLow(_ readings: Readings) -> Bool? {
        guard let isOnBattery = readings.isOnBattery else { return nil }
        if readings.batteryWarning == nil, readings.batteryPercentage == nil { return isOnBattery ? nil : false }
        if let warning = readings.batteryWarning, warning >= 3 { return true }
        guard isOnBattery, let percentage = readings.batteryPercentage else { return false }
        return percentage <= lowPercentage ? true : false
    }
}
