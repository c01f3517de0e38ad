import Testing

@testable import LonghaulCore

@Suite struct RateMeterTests {
    private let start = WallTime(seconds: 1_000)

    @Test func aSteadyStreamHasItsRate() {
        var meter = RateMeter()
        for tick in 0...100 { meter.update(Int64(tick) * 50_000, at: start + .milliseconds(Int64(tick) * 100)) }
        #expect(meter.bytesPerSecond == 500_000)
    }

    @Test func oldBytesDoNotCount() {
        var meter = RateMeter()
        meter.update(0, at: start)
        meter.update(900_000_000, at: start + .seconds(1))
        for second in 2...12 { meter.update(900_000_000, at: start + .seconds(Int64(second))) }
        #expect(meter.bytesPerSecond == 0)
    }

    @Test func rateIsZeroAfterTooShortInterval() {
        var meter = RateMeter()
        meter.update(0, at: start)
        meter.update(1_000_000, at: start + .milliseconds(10))
        #expect(meter.bytesPerSecond == 0)
    }

    @Test func decreasedCounterRestartsMeasurement() {
        var meter = RateMeter()
        meter.update(1_000_000, at: start)
        meter.update(2_000_000, at: start + .seconds(1))
        meter.update(0, at: start + .seconds(2))
        #expect(meter.bytesPerSecond == 0)
        meter.update(300, at: start + .seconds(3))
        #expect(meter.bytesPerSecond == 300)
    }

    @Test func clockSetBackRestartsMeasurement() {
        var meter = RateMeter()
        meter.update(0, at: start)
        meter.update(500, at: start + .seconds(-100))
        #expect(meter.bytesPerSecond == 0)
    }
}
