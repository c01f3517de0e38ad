import LonghaulCore
import Testing

/// The table of docs/internals/state-machine.md: the conditions that each rule checks.
@Suite struct ConditionPolicyTests {
    struct Row: Sendable {
        var rules: ConditionRules
        var conditions: Conditions
        var expected: ConditionPolicy.Verdict

        init(_ expected: Waiting.Reason?, _ rules: ConditionRules, _ conditions: Conditions) {
            self.rules = rules
            self.conditions = conditions
            self.expected = expected.map { .waiting($0, until: nil) } ?? .allowed
        }
    }

    private static let careful = ConditionRules(
        allowsExpensiveNetworkAccess: false, allowsConstrainedNetworkAccess: false, allowsRoaming: false,
        requiresExternalPower: true)
    private static let discretionary = ConditionRules(isDiscretionary: true)
    private static let anything = ConditionRules()
    private static let atHome = ConditionRules(
        links: [.wired, .wifi], requiresIdleMachine: true, leastBatteryLevel: 60)

    static let table: [Row] = [
        // Unknown conditions do not prevent transfers.
        Row(nil, careful, Conditions()), Row(nil, discretionary, Conditions()),
        // No route: hosts nearby may still be reachable, and an attempt shows that.
        Row(nil, careful, Conditions(network: .none)), Row(.network, anything, Conditions(network: .captive)),
        Row(nil, anything, Conditions(isExpensive: true)), Row(.metered, careful, Conditions(isExpensive: true)),
        Row(.metered, discretionary, Conditions(isExpensive: true)), Row(nil, careful, Conditions(isExpensive: false)),
        Row(nil, anything, Conditions(isConstrained: true)),
        Row(.constrained, careful, Conditions(isConstrained: true)),
        Row(.constrained, discretionary, Conditions(isConstrained: true)),
        Row(nil, anything, Conditions(isRoaming: true)), Row(.roaming, careful, Conditions(isRoaming: true)),
        Row(nil, discretionary, Conditions(isRoaming: true)),
        Row(nil, anything, Conditions(hasExternalPower: false)),
        Row(.power, careful, Conditions(hasExternalPower: false)),
        Row(nil, discretionary, Conditions(hasExternalPower: false)),
        Row(nil, anything, Conditions(isBatteryLow: true)), Row(nil, careful, Conditions(isBatteryLow: true)),
        Row(.battery, discretionary, Conditions(isBatteryLow: true)),
        Row(.battery, discretionary, Conditions(hasExternalPower: false, isBatteryLow: true)),
        Row(nil, discretionary, Conditions(hasExternalPower: true, isBatteryLow: true)),
        Row(.sleep, anything, Conditions(isAboutToSleep: true)),
        Row(nil, atHome, Conditions()), Row(.link, atHome, Conditions(link: .mobile)),
        Row(.link, atHome, Conditions(link: .vpn)), Row(nil, atHome, Conditions(link: .wired, isIdle: true)),
        Row(.idle, atHome, Conditions(link: .wifi, isIdle: false)), Row(.battery, atHome, Conditions(batteryLevel: 59)),
        Row(nil, atHome, Conditions(batteryLevel: 60)),
        Row(nil, atHome, Conditions(hasExternalPower: true, batteryLevel: 5)),
        // One reason: the first of the table's order.
        Row(.metered, careful, Conditions(isExpensive: true, isRoaming: true, hasExternalPower: false)),
        Row(.sleep, careful, Conditions(isExpensive: true, isAboutToSleep: true)),
    ]

    @Test(arguments: table) func decisionMatchesTable(_ row: Row) {
        #expect(
            ConditionPolicy.decide([row.rules], row.conditions, at: WallTime(seconds: 0), in: .utc) == row.expected)
    }

    @Test func theSessionsRulesAndTheTransfersMustBothAgree() {
        let conditions = Conditions(isExpensive: true)
        for rules in [[Self.careful, Self.anything], [Self.anything, Self.careful]] {
            #expect(
                ConditionPolicy.decide(rules, conditions, at: WallTime(seconds: 0), in: .utc)
                    == .waiting(.metered, until: nil))
        }
    }

    @Test func outsideItsHoursATransferWaitsForTheirBeginning() {
        let night = ConditionRules(hours: TimeWindow(from: 22 * 60, to: 6 * 60))
        let noon = WallTime(seconds: 12 * 3_600)
        #expect(
            ConditionPolicy.decide([night], Conditions(), at: noon, in: .utc)
                == .waiting(.hours, until: WallTime(seconds: 22 * 3_600)))
        for hour in [22, 23, 24, 29] as [Int64] {
            let date = WallTime(seconds: hour * 3_600)
            #expect(ConditionPolicy.decide([night], Conditions(), at: date, in: .utc) == .allowed)
            #expect(ConditionPolicy.closing([night], after: date, in: .utc) == WallTime(seconds: 30 * 3_600))
        }
    }

    @Test func meteredNetworkIsReportedBeforeAllowedHours() {
        let rules = ConditionRules(allowsExpensiveNetworkAccess: false, hours: TimeWindow(from: 60, to: 120))
        #expect(
            ConditionPolicy.decide([rules], Conditions(isExpensive: true), at: WallTime(seconds: 0), in: .utc)
                == .waiting(.metered, until: nil))
    }
}
