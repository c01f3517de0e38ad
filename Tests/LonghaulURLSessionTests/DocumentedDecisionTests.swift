import Foundation
import ReferenceSystems
import Testing

/// Tables of the documents about Apple systems, compared with the code.
@Suite struct DocumentedDecisionTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func read(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Each system has an outcome in every environment. Systems with the same outcomes share a row.
    @Test func tableStatesEveryOutcome() throws {
        let rows = Scenario.allCases.flatMap { scenario in
            var rows: [(systems: [String], outcomes: [String])] = []
            for system in System.allCases {
                let outcomes = EnvironmentKind.allCases.map { kind in
                    "\(ConformanceCase(system: system, scenario: scenario, kind: kind).outcome)"
                }
                if let row = rows.firstIndex(where: { $0.outcomes == outcomes }) {
                    rows[row].systems.append(system.rawValue)
                } else {
                    rows.append(([system.rawValue], outcomes))
                }
            }
            return rows.map { row in
                "| "
                    + ([scenario.rawValue, row.systems.joined(separator: ", ")] + row.outcomes)
                    .joined(separator: " | ") + " |"
            }
        }
        let document = try read("docs/internals/apple-engine.md")
        let section = try #require(document.components(separatedBy: "## Reference systems").last)
        let table = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(
            table.dropFirst(2).map(String.init) == rows,
            "the document needs these rows:\n\(rows.joined(separator: "\n"))")
    }

    /// The engine implements each method of the session's delegates, or the document says why not.
    @Test func everyDelegateMethodHasADecision() throws {
        let declared = try read("Tests/AppleDoubles/FoundationDouble/Delegates.swift").lowercased()
        let methods = declared.matches(of: /source: .*delegate\/urlsession\((?:_|task|datatask|downloadtask|:)*(\w+)/)
        #expect(methods.count == 17)
        let document = try read("docs/internals/apple-engine.md")
        let rest = try #require(document.components(separatedBy: "## Calls of the system without a handler\n").last)
        let section = rest.components(separatedBy: "\n## ")[0]
        let listeners = try ["SessionListener", "ForegroundListener"].map {
            try read("Sources/LonghaulURLSession/\($0).swift")
        }
        let decided = (listeners.joined() + section).lowercased()
        for method in methods { #expect(decided.contains(method.1), "\(method.1) has no decision") }
    }
}
