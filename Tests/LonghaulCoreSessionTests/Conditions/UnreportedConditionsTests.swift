import LonghaulCore
import Testing

struct UnreportedConditionsTests {
    private static let strict = ConditionRules(
        allowsExpensiveNetworkAccess: false, allowsConstrainedNetworkAccess: false, allowsRoaming: false,
        requiresExternalPower: true, links: [.wifi], requiresIdleMachine: true, leastBatteryLevel: 50)

    @Test func systemWithoutSourcesReportsNothing() {
        #expect(Self.strict.unreported(in: Conditions()) == ReportedCondition.allCases)
        let names = [
            "allowsExpensiveNetworkAccess", "allowsConstrainedNetworkAccess", "allowsRoaming", "links",
            "requiresExternalPower", "leastBatteryLevel", "requiresIdleMachine",
        ]
        #expect(Self.strict.unreportedProperties(in: Conditions()) == names)
    }

    @Test func rulesWithoutConditionsNeedNoSource() {
        #expect(ConditionRules(yieldsToOtherTraffic: true).unreported(in: Conditions()) == [])
    }

    @Test func reportedConditionsAreSilent() {
        let reported = Conditions(
            isReachable: true, isExpensive: false, isConstrained: false, isRoaming: false, hasExternalPower: true,
            link: .mobile, isIdle: false, batteryLevel: 80)
        #expect(Self.strict.unreported(in: reported) == [])
    }

    @Test func valuesThatCannotExistAreSilent() {
        // No network, no modem on a wired link, and no battery in a desktop computer.
        let offline = Conditions(isReachable: false, isConstrained: false, hasExternalPower: true, isIdle: false)
        #expect(Self.strict.unreported(in: offline) == [])
        let wired = Conditions(
            isReachable: true, isExpensive: false, hasExternalPower: true, link: .wired, isIdle: true)
        #expect(Self.strict.unreported(in: wired) == [.dataSaver])
    }

    @Test func convenienceNeedsOneOfItsSources() {
        let rules = ConditionRules(isDiscretionary: true)
        #expect(rules.unreported(in: Conditions()) == [.metered, .externalPower])
        #expect(rules.unreportedProperties(in: Conditions()) == ["isDiscretionary"])
        #expect(rules.unreportedProperties(in: Conditions(hasExternalPower: true)) == [])
    }
}
