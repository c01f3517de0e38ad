import LonghaulConditions
import Testing

@Suite struct DebounceTests {
    private let start = ContinuousClock.now

    @Test func stableValueIsReportedOnce() {
        var value = Debounce(1)
        value.update(2, at: start)
        #expect(value.date == start + .milliseconds(1_500))
        #expect(dueDates(&value, [1_499, 1_500, 9_000]) == [false, true, false])
        #expect(value.told == 2 && value.date == nil)
    }

    @Test func revertedChangeIsNeverReported() {
        var value = Debounce(2)
        for (step, now) in [0, 2, 0, 2].enumerated() { value.update(now, at: start + .milliseconds(step * 100)) }
        #expect(dueDates(&value, [10_000]) == [false])
        #expect(value.told == 2)
    }

    @Test func unsettledValueIsReportedAfterLimit() {
        var value = Debounce(0)
        for step in 1...40 { value.update(step, at: start + .milliseconds(step * 100)) }
        #expect(value.date == start + .milliseconds(3_100))
        #expect(dueDates(&value, [4_000]) == [true])
        #expect(value.told == 40)
    }

    private func dueDates(_ value: inout Debounce<Int>, _ milliseconds: [Int]) -> [Bool] {
        milliseconds.map { value.isDue(at: start + .milliseconds($0)) }
    }
}
