import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The allowances of exchanges, without a session.
@Suite struct FlowsTests {
    private static let megabyte: Int64 = 1 << 20
    private static let now = WallTime(seconds: 1_800_000_000)
    private static let ticket = Ticket(1)

    private let engine = ScriptedEngine()
    private let temporary: TemporaryDirectory
    private let common: BudgetLedger
    private var flows: Flows
    private var surroundings = Surroundings()
    private var record = TransferRecord(
        id: TransferID(high: 1, low: 1), spec: LoopWorld.request(), state: .running(.receiving), createdAt: Self.now)

    init() throws {
        temporary = try TemporaryDirectory()
        common = BudgetLedger(path: temporary.path + "/common")
        flows = Flows(Budgets(own: BudgetLedger(path: temporary.path + "/own"), common: common, zone: .utc))
        surroundings.conditions.isExpensive = true
        engine.start(EngineJob(ticket: Self.ticket, work: .files(.discard([]))))
    }

    private var scene: Flows.Scene {
        let rules = SessionRules(traffic: TrafficLimits(budget: DataBudget(bytesPerDay: 9 * Self.megabyte)))
        return Flows.Scene(
            conditions: ConditionMachine(rules, surroundings), counters: Counters(engine: engine) { Self.now },
            now: Self.now)
    }

    private mutating func begin() -> ExchangePlan {
        var plan = ExchangePlan(
            method: "GET", url: "http://a.test/", headers: [], body: nil, sink: .memory(limit: 0),
            network: CopyOnWrite(NetworkOptions()),
            followsOnlyRepeatingRedirects: false)
        flows.begin(Self.ticket, &plan, of: record, scene)
        return plan
    }

    private var used: [Int64] {
        [flows.budgets.own, common].map { $0.usage(at: Self.now, in: .utc).bytesOfDay / Self.megabyte }
    }

    @Test mutating func anExchangeGetsPortionsOfTheSmallestBudgetUntilNothingIsLeft() {
        surroundings.traffic.budget = DataBudget(bytesPerDay: 5 * Self.megabyte)
        #expect(begin().allowance == 4 * Self.megabyte && used == [4, 4])
        let results = (0..<2).map { _ in flows.extend(Self.ticket, of: record, scene) }
        #expect(results == [true, false] && used == [5, 5])
        #expect(engine.allowances.map(\.bytes) == [5 * Self.megabyte])
        #expect(flows.budgets.end(scene.conditions, returning: 0, at: Self.now) != nil)
        #expect(
            flows.budgets.end(scene.conditions, returning: 1, at: Self.now) == nil, "an exchange still returns a byte")
        flows.end(Self.ticket, moved: 2 * Self.megabyte, scene)
        #expect(used == [2, 2])
    }

    @Test mutating func finishingUploadIsNotStopped() {
        surroundings.traffic.budget = DataBudget(bytesPerDay: 4 * Self.megabyte)
        _ = begin()
        record.state = .awaitingResponse
        #expect(!flows.needsPortions(record, scene) && flows.extend(Self.ticket, of: record, scene))
        #expect(engine.allowances.map(\.bytes) == [nil])
    }

    @Test mutating func anExchangeComesUnderTheBudgetAndLeavesItWithTheNetwork() {
        surroundings.conditions.isExpensive = false
        #expect(begin().allowance == nil && !flows.isBudgeted(Self.ticket))
        engine.setProgress(ExchangeProgress(sent: 0, received: Self.megabyte), of: Self.ticket)
        surroundings.conditions.isExpensive = true
        flows.renewAllowances(scene) { [record] _ in record }
        #expect(engine.allowances.last?.bytes == 5 * Self.megabyte && used[0] == 4)
        surroundings.conditions.isExpensive = false
        flows.renewAllowances(scene) { [record] _ in record }
        #expect(engine.allowances.last?.bytes == nil && !flows.isBudgeted(Self.ticket))
    }

    @Test mutating func unreportedFlowCountsInFull() {
        _ = begin()
        flows.endAll(
            Flows.Scene(conditions: scene.conditions, counters: Counters(engine: nil) { Self.now }, now: Self.now))
        #expect(used[0] == 4 && flows.traffic.flows.isEmpty)
    }
}
