import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Rates: limits that change during transfers, and shares of them.
@Suite struct RateTests {
    private func rates(_ world: LoopWorld) -> [Int64?] {
        world.loop.state.flows.traffic.flows.sorted { $0.key.number < $1.key.number }.map(\.value.rate)
    }

    private func limit(_ rate: Int64?, _ world: LoopWorld) {
        _ = world.send(.setRules(SessionRules(traffic: TrafficLimits(rateLimit: rate))))
    }

    @Test func aLimitIsSharedByThoseWhoRunAndLiftedLive() throws {
        let world = try LoopWorld()
        limit(900_000, world)
        for number in 0..<3 { _ = try world.accept(LoopWorld.request("http://a.test/\(number)")) }
        #expect(rates(world) == [300_000, 300_000, 300_000])
        guard case .exchange(let plan)? = world.engine.jobs.last?.work else { throw Unanswered() }
        #expect(plan.rateLimit == 300_000)
        try world.answer(.responded(200))
        #expect(rates(world) == [450_000, 450_000])
        limit(nil, world)
        #expect(
            rates(world) == [nil, nil] && world.engine.rateLimits.suffix(2).allSatisfy { $0.bytesPerSecond == nil })
        #expect(world.loop.state.flows.traffic.measuredAt == nil, "no rate is measured without a limit")
    }

    @Test func listReportsRateWithoutWatchers() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.download())
        let ticket = try #require(world.engine.runningJobs.last).ticket
        func listed(_ received: Int64, after span: Duration, quiet: Duration = .zero) -> Int64? {
            world.time.advance(by: span)
            world.engine.setProgress(ExchangeProgress(sent: 0, received: received, quiet: quiet), of: ticket)
            guard case .page(let page)? = world.send(.list(ListQuery())) else { return nil }
            return page.transfers.first?.rate
        }
        #expect(listed(4_000, after: .seconds(2)) == 2_000)
        #expect(listed(64_000, after: .seconds(60)) == 1_000)
        guard case .detail(let detail)? = world.send(.show(id)) else { throw Unanswered() }
        #expect(detail.snapshot.rate == 1_000)
        #expect(listed(64_000, after: .seconds(9), quiet: .seconds(9)) == 0)
    }

    @Test func adjustedRateAppliesImmediately() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request { $0.options.rateLimit = 70_000 })
        #expect(rates(world) == [70_000])
        _ = world.send(.adjust(TransferAdjustment(rateLimit: 5_000), .ids([id])))
        #expect(world.engine.rateLimits.map(\.bytesPerSecond) == [5_000])
        _ = world.send(.adjust(TransferAdjustment(rateLimit: 0), .all))
        #expect(world.engine.rateLimits.map(\.bytesPerSecond) == [5_000, nil])
    }

    @Test func slowServerShareGoesToOthers() throws {
        let world = try LoopWorld()
        limit(1_000_000, world)
        for number in 0..<2 { _ = try world.accept(LoopWorld.request("http://a.test/\(number)")) }
        let tickets = world.engine.runningJobs.map(\.ticket)
        for second in 1...3 as ClosedRange<Int64> {
            world.engine.setProgress(ExchangeProgress(sent: 0, received: second * 10_000), of: tickets[0])
            world.engine.setProgress(ExchangeProgress(sent: 0, received: second * 480_000), of: tickets[1])
            world.pass(.seconds(1))
        }
        let shares = rates(world).compactMap { $0 }
        #expect(shares[0] <= 30_000 && shares[1] >= 900_000, "\(shares)")
    }

    /// The second before had a tenth of the rate: no exchange counts as slow because of it.
    @Test func fullyUsedShareGrowsImmediately() throws {
        let world = try LoopWorld()
        limit(200_000, world)
        for number in 0..<2 { _ = try world.accept(LoopWorld.request("http://a.test/\(number)")) }
        for second in 1...2 as ClosedRange<Int64> {
            for ticket in world.engine.runningJobs.map(\.ticket) {
                world.engine.setProgress(ExchangeProgress(sent: 0, received: second * 100_000), of: ticket)
            }
            world.pass(.seconds(1))
        }
        world.pass(.milliseconds(900))
        limit(2_000_000, world)
        #expect(rates(world) == [1_000_000, 1_000_000])
        world.pass(.milliseconds(100))
        #expect(rates(world) == [1_000_000, 1_000_000])
    }

    @Test func theTimetableChangesTheRateAtItsTime() throws {
        let world = try LoopWorld()
        let minute = TimeZoneRules.utc.minute(of: world.time.now)
        let hours = TimeWindow(from: (minute + 10) % 1_440, to: (minute + 20) % 1_440)
        let window = SessionRules.RateWindow(days: .everyDay, hours: hours, rateLimit: 5_000)
        _ = world.send(.setRules(SessionRules(traffic: TrafficLimits(rateLimit: 9_000, timetable: [window]))))
        _ = try world.accept(LoopWorld.request())
        #expect(rates(world) == [9_000])
        world.pass(.seconds(600))
        #expect(rates(world) == [5_000])
        world.pass(.seconds(600))
        #expect(rates(world) == [9_000])
    }

    @Test func aShareOfTheCommonRateIsALimitToo() throws {
        let world = try LoopWorld()
        limit(800_000, world)
        _ = try world.accept(LoopWorld.request())
        world.turn([.surroundings(ConditionsTests.surroundings { $0.rateShare = 300_000 })])
        #expect(rates(world) == [300_000])
        world.turn([.surroundings(ConditionsTests.surroundings { $0.traffic.rateLimit = 100_000 })])
        #expect(rates(world) == [100_000])
    }
}
