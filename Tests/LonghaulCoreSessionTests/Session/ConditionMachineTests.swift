import LonghaulCore
import Testing

@Suite struct ConditionMachineTests {
    private static let noon = WallTime(seconds: 1_767_225_600 + 12 * 3_600)
    private var session = SessionFixture()
    private let record = SessionFixture.record(1, SessionFixture.turn)

    private func verdict(budgetEnd: WallTime? = nil) -> ConditionPolicy.Verdict {
        session.machine.conditions.verdict(of: record, at: Self.noon, in: .utc) { budgetEnd }
    }

    @Test mutating func newRulesAreWrittenAndThenLookedAtByAllTransfers() {
        let rules = SessionRules(conditions: ConditionRules(allowsExpensiveNetworkAccess: false))
        #expect(session.feed(.rulesChanged(rules)) == [.write(.rules(rules)), .reviewTransfers])
        var around = Surroundings()
        around.conditions.isExpensive = true
        #expect(session.feed(.surroundingsChanged(around)) == [.reviewTransfers])
        #expect(verdict() == .waiting(.metered, until: nil))
    }

    @Test mutating func aRateAloneConcernsNoState() {
        var around = Surroundings()
        around.rateShare = 1_000
        #expect(session.feed(.surroundingsChanged(around)).isEmpty)
        #expect(session.machine.conditions.rate(at: Self.noon, in: .utc) == 1_000)
    }

    @Test func aBudgetThatIsUsedUpHoldsWhatElseIsAllowed() {
        #expect(verdict() == .allowed)
        #expect(verdict(budgetEnd: Self.noon + .seconds(60)) == .waiting(.budget, until: Self.noon + .seconds(60)))
    }

    @Test mutating func theEndOfATransfersHoursIsLookedAt() {
        let rules = ConditionRules(hours: TimeWindow(from: 600, to: 780))
        session.machine.conditions.planReview(of: [], at: Self.noon, in: .utc)
        #expect(session.machine.conditions.reviewAt == nil)
        session.machine.conditions.planReview(ofNew: rules, at: Self.noon, in: .utc)
        #expect(session.machine.conditions.reviewAt == Self.noon + .seconds(3_600))
    }
}
