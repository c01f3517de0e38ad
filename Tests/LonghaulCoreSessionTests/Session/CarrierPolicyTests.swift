import LonghaulCore
import Testing

/// Conditions that are left to the system that runs exchanges, and the terms that it gets.
@Suite struct CarrierPolicyTests {
    private static let noon = WallTime(seconds: 1_767_225_600 + 12 * 3_600)
    private var session = SessionFixture()
    private var record = SessionFixture.record(1, SessionFixture.turn)

    private func terms(_ rules: ConditionRules..., date: WallTime? = nil) -> CarrierTerms {
        CarrierPolicy.terms(rules, notBefore: date, priority: 0, at: Self.noon, in: .utc)
    }

    @Test func systemGetsStricterOfTwoRules() {
        #expect(terms(ConditionRules(), ConditionRules()) == CarrierTerms())
        let strict = terms(
            ConditionRules(allowsExpensiveNetworkAccess: false, links: [.wifi]),
            ConditionRules(allowsConstrainedNetworkAccess: false, isDiscretionary: true))
        #expect(!strict.allowsExpensive && !strict.allowsConstrained && !strict.allowsCellular)
        #expect(strict.isDiscretionary)
        #expect(!terms(ConditionRules(allowsRoaming: false)).allowsExpensive)
        #expect(terms(ConditionRules(links: [.mobile])).allowsCellular)
    }

    @Test func theLaterOfADateAndTheBeginOfHoursCounts() {
        let later = Self.noon + .seconds(7_200)
        #expect(terms(ConditionRules(hours: TimeWindow(from: 780, to: 840))).notBefore == Self.noon + .seconds(3_600))
        #expect(terms(ConditionRules(hours: TimeWindow(from: 780, to: 840)), date: later).notBefore == later)
        #expect(terms(ConditionRules(hours: TimeWindow(from: 600, to: 840)), date: Self.noon).notBefore == nil)
    }

    /// The system's rules stop no running transfer, and a transfer that violates them starts only in the system.
    @Test mutating func carrierEnforcesItsRulesForStartedTransfers() {
        var around = Surroundings()
        around.conditions.isExpensive = true
        around.conditions.hasExternalPower = false
        session.feed(.surroundingsChanged(around))
        record.spec.options.conditions.allowsExpensiveNetworkAccess = false
        func verdict(isBegun: Bool) -> ConditionPolicy.Verdict {
            session.machine.conditions.verdict(of: record, isBegun: isBegun, at: Self.noon, in: .utc) { nil }
        }
        let metered = ConditionPolicy.Verdict.waiting(.metered, until: nil)
        #expect(verdict(isBegun: true) == metered)
        session.machine.conditions.delegate(to: .begun)
        #expect(verdict(isBegun: true) == .allowed && verdict(isBegun: false) == metered)
        session.machine.conditions.delegate(to: .everything)
        #expect(verdict(isBegun: false) == .allowed)
        record.spec.options.conditions.requiresExternalPower = true
        #expect(verdict(isBegun: true) == .waiting(.power, until: nil))
    }
}
