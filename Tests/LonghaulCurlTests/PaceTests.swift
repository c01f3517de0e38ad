import Testing

@testable import LonghaulCurl

@Suite struct PaceTests {
    private static let second: Int64 = 1_000_000_000

    /// Takes chunks of 16 KiB whenever allowed, and waits as long as required.
    private func taken(rate: Int64, seconds: Int64) -> Int64 {
        var pace = Pace(rate: rate, at: 0)
        var now: Int64 = 0
        var sum: Int64 = 0
        while now < seconds * Self.second {
            while pace.allows(at: now) {
                pace.use(16_384)
                sum += 16_384
            }
            now += pace.wait
        }
        return sum
    }

    @Test(arguments: [1_000, 20_000, 1_000_000, 123_456_789] as [Int64])
    func theRateIsKeptOverTime(rate: Int64) {
        let sum = taken(rate: rate, seconds: 100)
        #expect(abs(sum - rate * 100) <= max(rate / 2, 16_384 * 2))
    }

    @Test func unusedPaceIsLost() {
        var pace = Pace(rate: 1_000_000, at: 0)
        let before = pace.allows(at: 50 * Self.second)
        pace.use(250_000)
        let after = pace.allows(at: 50 * Self.second)
        #expect(before && !after)
    }

    @Test(arguments: [1, .max] as [Int64])
    func noRateOverflows(rate: Int64) {
        var pace = Pace(rate: rate, at: 0)
        let atOnce = pace.allows(at: 0)
        let later = pace.allows(at: 2 * Self.second)
        #expect(!atOnce && later)
        pace.use(16_384)
        #expect(pace.wait > 0)
    }
}
