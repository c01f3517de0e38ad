import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Runs each scenario once for each of its commits and actions, dies there, and then continues to the end.
@Suite struct CrashTests {
    /// The long form dies a second time at each of several points after the first death, instead of one.
    private static let isLong = Tools.environment["LONGHAUL_TEST_CRASHES"] == "all"
    private static let replayed = Tools.environment["LONGHAUL_TEST_CRASH"].flatMap(Int.init)
    private static let recoveryPoints = 8

    @Test(arguments: CrashScript.allCases) func withoutACrashEverythingEndsInOneLife(_ script: CrashScript) throws {
        let scenario = try run(CrashPlan(script))
        #expect(scenario.lives == 1 || script.handsOver)
        #expect(scenario.world.now.deliveries["http://up.test/put"] ?? 1 == 1)
        if script.keys.contains("post") { #expect(try scenario.record("post").state == .succeeded) }
        let least = script == .busyHour ? 60 : 8
        #expect(scenario.pointCount > least, "the scenario has become trivial: \(scenario.pointCount) points")
    }

    @Test(arguments: [false, true]) func deathAtAnyPointLosesAndDoublesNothing(_ cutsPower: Bool) throws {
        let whole = try run(CrashPlan(.busyHour, cutsPower: cutsPower))
        for point in 1...whole.pointCount {
            let scenario = try run(CrashPlan(.busyHour, deaths: [point], cutsPower: cutsPower))
            #expect(scenario.lives == 2, "\(scenario.plan)")
        }
    }

    /// The next owner dies as well, while it opens the session or soon after.
    @Test(arguments: CrashScript.allCases) func aSecondDeathDuringRecoveryLosesAndDoublesNothing(
        _ script: CrashScript
    ) throws {
        let whole = try run(CrashPlan(script))
        // Every point of the busy hour has its first death above.
        let step = Self.isLong || script != .busyHour ? 1 : 3
        for point in stride(from: 1, through: whole.pointCount, by: step) {
            let seconds = Self.isLong ? Array(1...Self.recoveryPoints) : [1 + point * 5 % Self.recoveryPoints]
            for second in seconds {
                let plan = CrashPlan(script, deaths: [point, second], cutsPower: (point + second) % 3 == 0)
                let scenario = try run(plan)
                // An owner with nothing left to do passes two points, those of its first commit.
                #expect(scenario.deathCount == 2 || second > 2, "\(plan)")
            }
        }
    }

    /// A turn that the disk refuses, at any write or commit, leaves the state as if its inputs had not arrived.
    @Test(arguments: CrashScript.allCases) func aTurnThatIsNotCommittedLeavesNothingBehind(_ script: CrashScript) throws
    {
        let scenario = try CrashScenario(CrashPlan(script))
        scenario.refusesEverything = true
        try scenario.run()
        try scenario.check("\(script), each write refused once")
    }

    @Test func aPlanIsOneNumber() {
        let plans = [
            CrashPlan(.busyHour), CrashPlan(.tus, deaths: [7], cutsPower: true),
            CrashPlan(.handover, deaths: [112, 3]),
        ]
        for plan in plans { #expect(CrashPlan(number: plan.number) == plan) }
        #expect(CrashPlan(number: 990) == nil)
    }

    @Test(.enabled(if: replayed != nil)) func aCrashIsReplayed() throws {
        let plan = try #require(Self.replayed.flatMap(CrashPlan.init))
        _ = try run(plan)
    }

    private func run(_ plan: CrashPlan) throws -> CrashScenario {
        let scenario = try CrashScenario(plan)
        try scenario.run()
        try scenario.check("\(plan)")
        return scenario
    }
}
