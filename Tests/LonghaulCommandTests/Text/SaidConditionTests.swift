import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The command supports every condition that can be overridden, and its help lists them.
@Suite struct SaidConditionTests {
    @Test func everyConditionHasUniqueName() {
        #expect(Set(SaidCondition.all.map(\.name)).count == Mirror(reflecting: ConditionsOverride()).children.count)
    }

    @Test func theHelpNamesEachWithItsValues() throws {
        let note = try #require(Command.conditions.notes.first)
        let words = Set(note.split { !$0.isLetter && $0 != "-" }.map(String.init))
        for condition in SaidCondition.all {
            #expect(words.isSuperset(of: condition.values + [condition.name]), "\(condition.name)")
        }
    }

    @Test func eachValueIsKeptUntilItIsLeftToTheMeasurement() {
        for condition in SaidCondition.all {
            var seen: [ConditionsOverride] = []
            var override = ConditionsOverride()
            for value in condition.values.dropLast() {
                condition.say(&override, value)
                #expect(override != ConditionsOverride() && !seen.contains(override), "\(condition.name) \(value)")
                seen.append(override)
            }
            condition.say(&override, "auto")
            #expect(override == ConditionsOverride(), "\(condition.name)")
        }
    }
}
