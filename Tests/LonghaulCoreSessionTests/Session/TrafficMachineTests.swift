import LonghaulCore
import Testing

@Suite struct TrafficMachineTests {
    private let now = WallTime(seconds: 1_000)
    private let id = TransferID(high: 1, low: 1)

    private func machine(_ count: UInt64, limit: Int64? = nil) -> TrafficMachine {
        var machine = TrafficMachine()
        for number in 1...count { machine.begin(Ticket(number), of: id, limit: limit, taken: nil, at: now) }
        return machine
    }

    @Test func sharedRateIsDividedAndReportedOnce() {
        var machine = machine(3)
        #expect(machine.share(900_000).map(\.rate) == [300_000, 300_000, 300_000])
        #expect(machine.share(900_000) == [])
        #expect(machine.share(nil).map(\.rate) == [nil, nil, nil])
        #expect(machine.share(nil) == [])
    }

    @Test func anExchangeThatEndsLeavesItsShareToTheOthers() {
        var machine = machine(2)
        _ = machine.share(100_000)
        #expect(machine.end(Ticket(1))?.rate == 50_000)
        let changes = machine.share(100_000)
        #expect(changes.map(\.ticket) == [Ticket(2)] && changes.map(\.rate) == [100_000])
        #expect(changes.allSatisfy { $0.isMore })
        #expect(machine.end(Ticket(1)) == nil)
    }

    @Test func transferRateLimitCanBeRemoved() {
        var machine = machine(1, limit: 5_000)
        #expect(machine.share(nil).map(\.rate) == [5_000])
        machine.setLimit(nil, of: Ticket(1))
        #expect(machine.share(nil).map(\.rate) == [nil])
        machine.setLimit(7_000, of: Ticket(2))
        #expect(machine.share(nil) == [])
    }

    @Test func aSlowExchangeLeavesWhatItDoesNotUse() {
        var machine = machine(2)
        _ = machine.share(1_000_000)
        machine.measure(Ticket(1), moved: 10_000, at: now + .seconds(1))
        machine.measure(Ticket(2), moved: 500_000, at: now + .seconds(1))
        let rates = machine.share(1_000_000).map { $0.rate ?? 0 }
        #expect(rates.count == 2 && rates[0] <= 30_000 && rates[1] > 900_000)
    }

    @Test func earlyMeasurementIsIgnored() {
        var machine = machine(1)
        _ = machine.share(1_000_000)
        machine.measure(Ticket(1), moved: 10, at: now + .milliseconds(100))
        #expect(machine.plan(isShared: true, at: now) == RateDemand(flows: 1))
        #expect(machine.measuredAt == now + .seconds(1))
        machine.measure(Ticket(1), moved: 2_000, at: now + .seconds(2))
        #expect(machine.plan(isShared: true, at: now) == RateDemand(flows: 1, used: 1_000))
        #expect(machine.plan(isShared: false, at: now) == RateDemand(flows: 1))
        #expect(machine.measuredAt == nil)
    }
}
