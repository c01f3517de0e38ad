import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The documents name every reason to wait.
@Suite struct DocumentedReasonsTests {
    @Test(arguments: Waiting.Reason.allCases) func eachHasARowAmongTheStates(_ reason: Waiting.Reason) throws {
        let section = try documentLines("docs/states.md").drop { $0 != "## Reasons to wait" }.dropFirst()
        let table = section.prefix { !$0.hasPrefix("#") }
        #expect(table.contains { $0.hasPrefix("| `\(StateText.word(reason))` | ") })
    }

    @Test func theCommandLineNamesEach() throws {
        let row = try #require(documentLines("docs/command-line.md").first { $0.hasPrefix("| `reason` | ") })
        let missing = Waiting.Reason.allCases.map(StateText.word).filter { !row.contains("`\($0)`") }
        #expect(missing.isEmpty)
    }

    /// Such as `| 7–8 | `waiting`: `metered`, `constrained` |`.
    @Test func theStoreNamesEachWithItsNumber() throws {
        var documented: [Int: String] = [:]
        for row in try documentLines("docs/store-format.md") where row.contains(" | `waiting`: ") {
            let words = row.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.dropFirst().map(\.element)
            let numbers = row.prefix { $0 != "`" }.split { !$0.isNumber }.compactMap { Int($0) }
            let (first, last) = (try #require(numbers.first), try #require(numbers.last))
            #expect(last - first == words.count - 1, "\(row)")
            for (number, word) in zip(first..., words) { documented[number] = String(word) }
        }
        let reasons = Waiting.Reason.allCases.map { ($0.wireNumber, StateText.word($0)) }
        #expect(documented == Dictionary(uniqueKeysWithValues: reasons))
    }
}
