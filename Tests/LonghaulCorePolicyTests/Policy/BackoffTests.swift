import LonghaulCore
import TestSupport
import Testing

@Suite struct BackoffTests {
    @Test(
        arguments: [(1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (11, 300), (.max, 300), (0, 1), (.min, 1)]
            as [(Int, Int64)])
    func theLongestWaitDoublesUpToFiveMinutes(failures: Int, seconds: Int64) {
        let longest = Backoff.delay(failuresInARow: failures, retryAfter: nil, random: .max)
        #expect(longest == .seconds(seconds))
        #expect(Backoff.delay(failuresInARow: failures, retryAfter: nil, random: 0) == .milliseconds(100))
    }

    @Test(
        arguments: [(-10, 0), (0, 0), (30, 30), (86_400, 86_400), (86_401, 86_400), (.max, 86_400)] as [(Int64, Int64)])
    func retryAfterIsAddedToBackoff(asked: Int64, taken: Int64) {
        let delay = Backoff.delay(failuresInARow: 1, retryAfter: .seconds(asked), random: 0)
        #expect(delay == Duration(microseconds: taken * 1_000_000 + 100_000))
    }

    @Test func everyWaitLiesWithinItsBounds() {
        var chance = SeededChance(seed: 7)
        for _ in 0..<10_000 {
            let failures = Int.random(in: -2...40, using: &chance)
            let asked =
                Bool.random(using: &chance)
                ? Duration(microseconds: Int64.random(in: .min ... .max, using: &chance)) : nil
            let delay = Backoff.delay(failuresInARow: failures, retryAfter: asked, random: chance.next())
            let minimum = min(max(asked ?? .zero, .zero), .seconds(86_400))
            #expect(delay.microseconds >= minimum.microseconds + 100_000)
            #expect(delay.microseconds <= minimum.microseconds + 300_000_000)
        }
    }

    @Test func waitsAreSpreadOverTheWholeRange() {
        var chance = SeededChance(seed: 8)
        var quarters = [0, 0, 0, 0]
        for _ in 0..<4_000 {
            let delay = Backoff.delay(failuresInARow: 20, retryAfter: nil, random: chance.next())
            quarters[min(Int(delay.seconds / 75), 3)] += 1
        }
        #expect(quarters.allSatisfy { (850...1_150).contains($0) })
    }
}
