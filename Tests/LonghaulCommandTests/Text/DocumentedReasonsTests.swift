import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The documents name every state and every reason to wait.
@Suite struct DocumentedReasonsTests {
    private static let page = "docs/reference/states-and-reasons.md"

    /// The words in the first column of the table below a heading, and the number of cells in each row.
    private func table(below heading: String) throws -> [(word: String, cells: Int)] {
        let section = try documentLines(Self.page).drop { $0 != "## \(heading)" }.dropFirst().prefix {
            !$0.hasPrefix("#")
        }
        return section.filter { $0.hasPrefix("| `") }.map { row in
            (String(row.split(separator: "`")[1]), row.split(separator: "|").count { !$0.allSatisfy(\.isWhitespace) })
        }
    }

    @Test func eachReasonHasARowWithItsCauseAndEnd() throws {
        let rows = try table(below: "Reasons to wait")
        #expect(rows.count == Waiting.Reason.allCases.count)
        #expect(Set(rows.map(\.word)) == Set(Waiting.Reason.allCases.map(StateText.word)))
        for row in rows { #expect(row.cells == 3, "\(row.word)") }
    }

    @Test func eachStateAndPhaseHasARow() throws {
        #expect(try table(below: "States").map(\.word) == StateText.words)
        #expect(try table(below: "Phases").map(\.word) == StateText.phaseWords)
    }

    /// Other documents link to the page.
    @Test(arguments: ["docs/internals/state-machine.md", "docs/reference/json.md"])
    func otherDocumentsRepeatNoTable(_ document: String) throws {
        let text = try documentText(document)
        #expect(text.contains("states-and-reasons.md#reasons-to-wait"))
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map {
            String($0.split(separator: "`")[1])
        }
        let repeated = Set(Waiting.Reason.allCases.map(StateText.word)).intersection(rows)
        // Commands, members, and states of tasks share two names with reasons.
        #expect(repeated.count <= 2, "\(repeated)")
    }

    /// Such as `| 7–8 | `waiting`: `metered`, `constrained` |`.
    @Test func theStoreNamesEachWithItsNumber() throws {
        var documented: [Int: String] = [:]
        for row in try documentLines("docs/internals/store-format.md") where row.contains(" | `waiting`: ") {
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
