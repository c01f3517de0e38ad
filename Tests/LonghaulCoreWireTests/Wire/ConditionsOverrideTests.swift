import LonghaulCore
import TestSupport
import Testing

/// Manual values override measured ones, for each condition.
@Suite struct ConditionsOverrideTests {
    @Test func eachOverrideReplacesItsMeasuredCondition() {
        for seed in 0..<50 {
            var chance = Chance(.full, seed: UInt64(seed))
            let (measured, override) = (Conditions.draw(&chance), ConditionsOverride.draw(&chance))
            let effective = properties(measured.overridden(by: override))
            for (name, said) in properties(override) {
                // Some of the conditions are optional as well.
                #expect([effective[name], effective[name].map { "Optional(\($0))" }].contains(said), "\(name)")
            }
        }
    }

    @Test func emptyOverrideKeepsMeasurement() {
        var chance = Chance(.full, seed: 1)
        let measured = Conditions.draw(&chance)
        #expect(measured.overridden(by: ConditionsOverride()) == measured)
    }
}
