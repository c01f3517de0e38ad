import LonghaulCore
import LonghaulSystem
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The data budget: reserved before bytes are transferred, returned if they were not, and correct after every crash.
@Suite struct BudgetTests {
    private static let megabyte: Int64 = 1 << 20

    private static func metered(_ budget: DataBudget = DataBudget()) -> Surroundings {
        ConditionsTests.surroundings {
            $0.conditions.isExpensive = true
            $0.traffic.budget = budget
        }
    }

    private func used(_ world: LoopWorld) -> Int64 {
        world.loop.state.flows.budgets.own.usage(at: world.time.now, in: .utc).bytesOfDay
    }

    private func set(_ budget: DataBudget, _ world: LoopWorld) {
        _ = world.send(.setRules(SessionRules(traffic: TrafficLimits(budget: budget))))
    }

    private func allowance(_ world: LoopWorld) -> Int64? {
        guard case .exchange(let plan)? = world.engine.jobs.last?.work else { return nil }
        return plan.allowance
    }

    private static func ended(_ moved: Int64) -> EngineEvent {
        .exchangeEnded(
            ExchangeOutcome(
                ending: .responded, head: ResponseHead(status: 200, headers: [], effectiveURL: "http://a.test/"),
                bytesReceived: moved))
    }

    @Test func bytesAreTakenBeforeTheyMoveAndTheRestIsGivenBack() throws {
        let world = try LoopWorld(surroundings: Self.metered())
        set(DataBudget(bytesPerDay: 100 * Self.megabyte), world)
        _ = try world.accept(LoopWorld.request())
        #expect(allowance(world) == 4 * Self.megabyte && used(world) == 4 * Self.megabyte)
        let ticket = try #require(world.engine.runningJobs.last).ticket
        world.engine.emit(ticket, .allowanceUsed)
        world.turn()
        #expect(world.engine.allowances.map(\.bytes) == [8 * Self.megabyte])
        try world.answer(Self.ended(5 * Self.megabyte))
        #expect(used(world) == 5 * Self.megabyte)
    }

    @Test func exhaustedBudgetWaitsForNextDay() throws {
        let world = try LoopWorld(surroundings: Self.metered())
        set(DataBudget(bytesPerDay: 3 * Self.megabyte), world)
        let id = try world.accept(LoopWorld.request())
        #expect(allowance(world) == 3 * Self.megabyte)
        world.engine.emit(try #require(world.engine.runningJobs.last).ticket, .allowanceUsed)
        world.turn()
        let midnight = TimeZoneRules.utc.next(minute: 0, after: world.time.now)
        guard case .waiting(let waiting) = try world.state(id) else { throw Unanswered() }
        #expect(waiting.reason == .budget && waiting.until == midnight)
        // The scripted engine reports no bytes: the reservation is returned, and no transfer starts because of it.
        world.turn()
        world.pass(midnight - world.time.now)
        #expect(try world.state(id) == .running(.sending))
    }

    @Test func aNetworkThatIsNotMeteredAsksForNothing() throws {
        let world = try LoopWorld()
        set(DataBudget(bytesPerDay: 1), world)
        let id = try world.accept(LoopWorld.request())
        #expect(try world.state(id) == .running(.sending) && allowance(world) == nil && used(world) == 0)
        // The network becomes metered: only bytes from now on count.
        let ticket = try #require(world.engine.runningJobs.last).ticket
        world.engine.setProgress(ExchangeProgress(sent: 0, received: 500), of: ticket)
        world.turn([.surroundings(Self.metered())])
        #expect(world.engine.allowances.map(\.bytes) == [501] && used(world) == 1)
        world.turn([.surroundings(Surroundings())])
        #expect(world.engine.allowances.map(\.bytes).last == .some(nil) && used(world) == 0)
    }

    @Test func theSmallerOfTwoBudgetsCountsAndBothAreCharged() throws {
        let place = try TemporaryDirectory()
        let ledger = BudgetLedger(path: place.path("budget"))
        let world = try LoopWorld(
            surroundings: Self.metered(DataBudget(bytesPerMonth: Self.megabyte)), ledger: ledger)
        set(DataBudget(bytesPerDay: 3 * Self.megabyte), world)
        _ = try world.accept(LoopWorld.request())
        #expect(allowance(world) == Self.megabyte && used(world) == Self.megabyte)
        try world.answer(Self.ended(1_000))
        #expect(used(world) == 1_000)
        #expect(ledger.usage(at: world.time.now, in: .utc).bytesOfMonth == 1_000)
    }

    @Test func ignoredConditionsBypassBudget() throws {
        let world = try LoopWorld(surroundings: Self.metered())
        set(DataBudget(bytesPerDay: 0), world)
        let id = try world.accept(LoopWorld.request())
        guard case .waiting(let waiting) = try world.state(id) else { throw Unanswered() }
        #expect(waiting.reason == .budget)
        _ = world.send(.adjust(TransferAdjustment(ignoresConditions: true), .ids([id])))
        #expect(try world.state(id) == .running(.sending) && allowance(world) == nil)
    }

    /// The process dies at every point. The bytes that an exchange may have transferred were always recorded before.
    @Test func noCrashMakesTheBudgetLarger() throws {
        for point in 0..<40 {
            let place = try TemporaryDirectory()
            let allowed = try liveAndDie(at: point, in: place)
            let again = try LoopWorld(in: place, surroundings: Self.metered())
            #expect(used(again) >= allowed, "killed at point \(point)")
            #expect(used(again) <= 10 * Self.megabyte)
        }
    }

    /// Returns the number of bytes that the engine was allowed to transfer before the process died.
    private func liveAndDie(at point: Int, in place: TemporaryDirectory) throws -> Int64 {
        let countdown = Countdown(point)
        let world = try LoopWorld(in: place, survives: { _ in countdown.goesOn() }, surroundings: Self.metered())
        set(DataBudget(bytesPerDay: 10 * Self.megabyte), world)
        _ = try? world.accept(LoopWorld.request())
        if let ticket = world.engine.runningJobs.last?.ticket {
            world.engine.emit(ticket, .allowanceUsed)
            world.turn()
        }
        return world.engine.allowances.last?.bytes ?? allowance(world) ?? 0
    }

    @Test func twoProcessesNeverTakeMoreThanThereIs() async throws {
        let place = try TemporaryDirectory()
        let now = WallTime(seconds: 1_800_000_000)
        let budget = DataBudget(bytesPerDay: 1_000)
        let path = place.path("budget")
        let total = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await aside {
                        (0..<50).reduce(0) { sum, _ in
                            sum + BudgetLedger(path: path).withdraw(7, of: budget, at: now, in: .utc)
                        }
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(total == 1_000)
        #expect(BudgetLedger(path: place.path("budget")).usage(at: now, in: .utc).bytesOfDay == 1_000)
    }

    @Test func aDamagedLedgerGivesNothingAway() throws {
        let place = try TemporaryDirectory()
        try place.write([0xFF, 0xFF, 0xFF], to: "budget")
        let ledger = BudgetLedger(path: place.path("budget"))
        let now = WallTime(seconds: 1_800_000_000)
        #expect(ledger.withdraw(1, of: DataBudget(bytesPerDay: 10), at: now, in: .utc) == 0)
        #expect(ledger.withdraw(1, of: DataBudget(), at: now, in: .utc) == 1)
    }

    @Test func cutLedgerCountsAsUsedUpUntilAcknowledged() throws {
        let place = try TemporaryDirectory()
        let (ledger, now) = (BudgetLedger(path: place.path("budget")), WallTime(seconds: 1_800_000_000))
        let budget = DataBudget(bytesPerDay: 1_000, bytesPerMonth: 2_000)
        #expect(ledger.withdraw(300, of: budget, at: now, in: .utc) == 300)
        let sound = try place.read("budget")
        for count in 0..<sound.count {
            try place.write(sound.prefix(count), to: "budget")
            #expect(ledger.damage?.code == .storeDamaged, "\(count) bytes")
            #expect(ledger.withdraw(1, of: budget, at: now, in: .utc) == 0)
            #expect(ledger.usage(of: budget, at: now, in: .utc).remaining(of: budget) == 0)
            #expect(ledger.usage(of: budget, at: now, in: .utc).release(of: budget, in: .utc) != nil)
            try ledger.acknowledgeDamage(at: now)
            #expect(ledger.damage == nil && ledger.withdraw(1, of: budget, at: now, in: .utc) == 1)
        }
        #expect(ledger.damage == nil)
    }

    @Test func damagedLedgerOfSessionIsReportedAndStopsItsMeteredTransfers() throws {
        let place = try TemporaryDirectory()
        let world = try LoopWorld(in: place, surroundings: Self.metered())
        set(DataBudget(bytesPerDay: 100 * Self.megabyte), world)
        let layout = world.loop.state.directory.layout
        #expect(SessionDirectory.damage(in: layout) == nil)
        try AtomicFile(layout.budget).write([])
        let id = try world.accept(LoopWorld.request())
        guard case .waiting(let waiting) = try world.state(id) else { throw Unanswered() }
        #expect(waiting.reason == .budget)
        #expect(SessionDirectory.damage(in: layout)?.message.contains("budget, the count of used data") == true)
        _ = world.send(.acknowledgeDamage)
        #expect(SessionDirectory.damage(in: layout) == nil && used(world) == 0)
    }
}

/// Lets a loop run for a number of points.
private final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) {
        left = Mutex(count)
    }

    func goesOn() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
