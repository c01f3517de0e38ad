import LonghaulCore
import Testing

@Suite struct ReadingsTests {
    static let meters: [(UInt32?, Conditions.Answer)] = [
        (nil, .unknown), (0, .unknown), (1, .yes), (2, .no), (3, .yes), (4, .no), (9, .unknown),
    ]

    @Test(arguments: meters)
    func meteredIsReadAsNetworkManagerMeansIt(_ value: UInt32?, _ expected: Conditions.Answer) {
        var readings = Readings()
        readings.hasRoute = true
        readings.metered = value
        #expect(ConditionsJudge.judge(readings).isExpensive == expected)
    }

    @Test func withoutARouteAnUnknownMeterDecidesNothing() {
        var readings = Readings()
        readings.metered = 0
        readings.hasRoute = false
        #expect(ConditionsJudge.judge(readings, earlier: Conditions(isExpensive: .yes)).isExpensive == .yes)
        readings.hasRoute = true
        #expect(ConditionsJudge.judge(readings, earlier: Conditions(isExpensive: .yes)).isExpensive == .unknown)
        // NetworkManager is gone: that is not an answer of its.
        readings.metered = nil
        #expect(ConditionsJudge.judge(readings, earlier: Conditions(isExpensive: .yes)).isExpensive == .unknown)
    }

    @Test func aPortalCountsWhateverTheRoutesAre() {
        var readings = Readings()
        #expect(ConditionsJudge.judge(readings).network == .unknown)
        readings.hasRoute = false
        #expect(ConditionsJudge.judge(readings).network == Conditions.Network.none)
        readings.hasRoute = true
        readings.connectivity = 1
        #expect(ConditionsJudge.judge(readings).network == .reachable)
        readings.connectivity = 2
        #expect(ConditionsJudge.judge(readings).network == .captive)
    }

    @Test func aModemAbroadIsNoRoamingWhileTheWayIsAnotherOne() {
        var readings = Readings()
        #expect(ConditionsJudge.judge(readings).isRoaming == .unknown)
        readings.isRegisteredAbroad = true
        #expect(ConditionsJudge.judge(readings).isRoaming == .yes)
        readings.isMobile = false
        #expect(ConditionsJudge.judge(readings).isRoaming == .no)
        readings.isMobile = true
        #expect(ConditionsJudge.judge(readings).isRoaming == .yes)
    }

    @Test(
        arguments: [
            (nil, .unknown), ("", .unknown), ("802-3-ethernet", .wired), ("802-11-wireless", .wifi), ("gsm", .mobile),
            ("wireguard", .vpn), ("bluetooth", .other),
        ] as [(String?, Conditions.LinkKind)])
    func theKindOfLinkIsThatOfThePrimaryConnection(type: String?, link: Conditions.LinkKind) {
        var readings = Readings()
        readings.linkType = type
        #expect(ConditionsJudge.judge(readings).link == link)
    }

    @Test func aBatteryIsLowWhenItIsWarnedOfOrNearlyEmptyWhileItDischarges() {
        var readings = Readings()
        #expect(ConditionsJudge.judge(readings).isBatteryLow == .unknown)
        readings.isOnBattery = false
        #expect(ConditionsJudge.judge(readings) == Conditions(hasExternalPower: .yes, isBatteryLow: .no))
        readings.isOnBattery = true
        #expect(ConditionsJudge.judge(readings).isBatteryLow == .unknown)
        readings.batteryPercentage = 21
        readings.batteryWarning = 1
        #expect(
            ConditionsJudge.judge(readings) == Conditions(hasExternalPower: .no, isBatteryLow: .no, batteryLevel: 21))
        readings.batteryPercentage = 20
        #expect(ConditionsJudge.judge(readings).isBatteryLow == .yes)
        readings.isOnBattery = false
        #expect(ConditionsJudge.judge(readings).isBatteryLow == .no)
        readings.batteryWarning = 3
        #expect(ConditionsJudge.judge(readings).isBatteryLow == .yes)
    }

    @Test func whatIsSaidByHandHoldsAgainstWhatIsMeasured() {
        var override = ConditionsOverride()
        override.isExpensive = .yes
        override.network = .reachable
        let measured = Conditions(network: .captive, isExpensive: .no, isRoaming: .yes, isAboutToSleep: true)
        #expect(
            measured.overridden(by: override)
                == Conditions(network: .reachable, isExpensive: .yes, isRoaming: .yes, isAboutToSleep: true))
    }
}
