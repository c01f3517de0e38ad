import LonghaulCore
import Testing

@Suite struct ReadingsTests {
    static let meters: [(UInt32?, Bool?)] = [
        (nil, nil), (0, nil), (1, true), (2, false), (3, true), (4, false), (9, nil),
    ]

    @Test(arguments: meters)
    func meteredIsReadAsNetworkManagerMeansIt(_ value: UInt32?, _ expected: Bool?) {
        var readings = Readings()
        readings.hasRoute = true
        readings.metered = value
        #expect(ConditionsEvaluator.evaluate(readings).isExpensive == expected)
    }

    @Test func withoutARouteAnUnknownMeterDecidesNothing() {
        var readings = Readings()
        readings.metered = 0
        readings.hasRoute = false
        #expect(ConditionsEvaluator.evaluate(readings, earlier: Conditions(isExpensive: true)).isExpensive == true)
        readings.hasRoute = true
        #expect(ConditionsEvaluator.evaluate(readings, earlier: Conditions(isExpensive: true)).isExpensive == nil)
        // NetworkManager has stopped, which is not an answer.
        readings.metered = nil
        #expect(ConditionsEvaluator.evaluate(readings, earlier: Conditions(isExpensive: true)).isExpensive == nil)
    }

    @Test func aPortalCountsWhateverTheRoutesAre() {
        var readings = Readings()
        #expect(ConditionsEvaluator.evaluate(readings).network == .unknown)
        readings.hasRoute = false
        #expect(ConditionsEvaluator.evaluate(readings).network == Conditions.Network.none)
        readings.hasRoute = true
        readings.connectivity = 1
        #expect(ConditionsEvaluator.evaluate(readings).network == .reachable)
        readings.connectivity = 2
        #expect(ConditionsEvaluator.evaluate(readings).network == .captive)
    }

    @Test func aModemAbroadIsNoRoamingWhileTheWayIsAnotherOne() {
        var readings = Readings()
        #expect(ConditionsEvaluator.evaluate(readings).isRoaming == nil)
        readings.isRegisteredAbroad = true
        #expect(ConditionsEvaluator.evaluate(readings).isRoaming == true)
        readings.isMobile = false
        #expect(ConditionsEvaluator.evaluate(readings).isRoaming == false)
        readings.isMobile = true
        #expect(ConditionsEvaluator.evaluate(readings).isRoaming == true)
    }

    @Test(
        arguments: [
            (nil, .unknown), ("", .unknown), ("802-3-ethernet", .wired), ("802-11-wireless", .wifi), ("gsm", .mobile),
            ("wireguard", .vpn), ("bluetooth", .other),
        ] as [(String?, Conditions.LinkKind)])
    func theKindOfLinkIsThatOfThePrimaryConnection(type: String?, link: Conditions.LinkKind) {
        var readings = Readings()
        readings.linkType = type
        #expect(ConditionsEvaluator.evaluate(readings).link == link)
    }

    @Test func aBatteryIsLowWhenItIsWarnedOfOrNearlyEmptyWhileItDischarges() {
        var readings = Readings()
        #expect(ConditionsEvaluator.evaluate(readings).isBatteryLow == nil)
        readings.isOnBattery = false
        #expect(ConditionsEvaluator.evaluate(readings) == Conditions(hasExternalPower: true, isBatteryLow: false))
        readings.isOnBattery = true
        #expect(ConditionsEvaluator.evaluate(readings).isBatteryLow == nil)
        readings.batteryPercentage = 21
        readings.batteryWarning = 1
        #expect(
            ConditionsEvaluator.evaluate(readings)
                == Conditions(hasExternalPower: false, isBatteryLow: false, batteryLevel: 21))
        readings.batteryPercentage = 20
        #expect(ConditionsEvaluator.evaluate(readings).isBatteryLow == true)
        readings.isOnBattery = false
        #expect(ConditionsEvaluator.evaluate(readings).isBatteryLow == false)
        readings.batteryWarning = 3
        #expect(ConditionsEvaluator.evaluate(readings).isBatteryLow == true)
    }

    @Test func overrideBeatsMeasurement() {
        var override = ConditionsOverride()
        override.isExpensive = true
        override.network = .reachable
        let measured = Conditions(network: .captive, isExpensive: false, isRoaming: true, isAboutToSleep: true)
        #expect(
            measured.overridden(by: override)
                == Conditions(network: .reachable, isExpensive: true, isRoaming: true, isAboutToSleep: true))
    }
}
