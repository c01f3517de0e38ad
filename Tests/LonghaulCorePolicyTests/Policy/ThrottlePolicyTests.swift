import LonghaulCore
import Testing

@Suite struct ThrottlePolicyTests {
    private static let now = WallTime(seconds: 1_000_000)
    private let settings = BackgroundTaskSettings()

    private func struck(_ count: Int, at now: WallTime = now) -> BackgroundTaskThrottle {
        (0..<count).reduce(BackgroundTaskThrottle()) { throttle, _ in
            ThrottlePolicy.recordStrike(throttle, settings, at: now)
        }
    }

    @Test(arguments: [(0, 0), (1, 60), (2, 120), (3, 240), (8, 7_680), (9, 15_360), (10, 21_600), (200, 21_600)])
    func eachStrikeDoublesTheTimeUpToTheLongest(strikes: Int, seconds: Int64) {
        #expect(ThrottlePolicy.delay(strikes: min(strikes, 24), settings) == .seconds(seconds))
        if strikes > 0 { #expect(struck(strikes).until == Self.now + .seconds(seconds)) }
    }

    @Test func aGoodRunHalvesAndTheLastOneEndsIt() {
        var throttle = struck(4)
        for left in [2, 1, 0] {
            throttle = ThrottlePolicy.recordReturn(throttle)
            #expect(throttle.strikes == left)
        }
        #expect(throttle.until == nil)
    }

    @Test func quietTimeTakesStrikesOff() throws {
        let throttle = struck(5)
        let end = try #require(throttle.until)
        #expect(ThrottlePolicy.holdEnd(throttle, settings, at: end + .seconds(-1)) == end)
        #expect(ThrottlePolicy.holdEnd(throttle, settings, at: end) == nil)
        #expect(ThrottlePolicy.recordStrike(throttle, settings, at: end + .seconds(3 * 21_600)).strikes == 3)
        #expect(ThrottlePolicy.recordStrike(throttle, settings, at: end + .seconds(99 * 21_600)).strikes == 1)
    }

    @Test func aClockThatWasSetBackDoesNotThrottleForEver() {
        #expect(ThrottlePolicy.holdEnd(struck(3), settings, at: Self.now + .seconds(-86_400 * 30)) == nil)
    }
}

@Suite struct BackgroundTaskPolicyTests {
    private static func situation(
        _ change: (inout BackgroundTaskPolicy.Situation) -> Void
    ) -> BackgroundTaskPolicy.Situation {
        var situation = BackgroundTaskPolicy.Situation(
            request: .appRefresh("a", requiresNetworkConnectivity: true, requiresExternalPower: true), isForced: false,
            isThrottled: false, conditions: TaskConditions(hasNetwork: true, hasExternalPower: true), hasTurn: true,
            app: .ready)
        change(&situation)
        return situation
    }

    private static let table: [(BackgroundTaskPolicy.Situation, BackgroundTaskHold?)] = [
        (situation { _ in }, nil),
        (situation { $0.isThrottled = true }, .throttled),
        (situation { $0.conditions.hasNetwork = false }, .network),
        (situation { $0.conditions.hasExternalPower = false }, .power),
        // An unknown condition does not count as unmet.
        (situation { $0.conditions = TaskConditions() }, nil),
        (
            situation {
                $0.request.requiresNetworkConnectivity = false
                $0.conditions.hasNetwork = false
            }, nil
        ),
        (situation { $0.app = .absent }, .app),
        (situation { $0.app = .withoutHandler }, .handler),
        (situation { $0.app = .stuck }, .stillRunning),
        (situation { $0.hasTurn = false }, .turn),
        (
            situation {
                $0.isThrottled = true
                $0.conditions = TaskConditions(hasNetwork: false, hasExternalPower: false)
                $0.isForced = true
            }, nil
        ),
        (
            situation {
                $0.isForced = true
                $0.app = .absent
            }, .app
        ),
    ]

    @Test(arguments: 0..<table.count) func taskHoldMatchesTable(row: Int) {
        #expect(BackgroundTaskPolicy.hold(Self.table[row].0) == Self.table[row].1)
    }
}
