import Foundation
import Testing

/// The table of walkthroughs and systems in the document about Apple systems: each cell names the test that shows it,
/// or that shows the limitation.
@Suite struct StoryTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func everyCellNamesATestThatIsThere() throws {
        let page = Self.root.appendingPathComponent("docs/internals/apple-engine.md")
        let document = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(document.components(separatedBy: "## Stories and tests").last)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(rows.count >= 12)
        let tests = try Self.tests()
        for row in rows.dropFirst(2) {
            let cells = row.split(separator: "|").dropFirst()
            #expect(cells.count == 3, "\(row)")
            for cell in cells {
                let named = cell.matches(of: /`(\w+)\.(\w+)`/)
                #expect(!named.isEmpty, "a cell names no test: \(cell)")
                for name in named {
                    #expect(tests[String(name.1)]?.contains("func \(name.2)(") ?? false, "\(name.0) is not there")
                }
            }
        }
    }

    /// The engine implements each method of the session's delegates, or the document says why not.
    @Test func everyDelegateMethodHasADecision() throws {
        let read = { try String(contentsOf: Self.root.appendingPathComponent($0), encoding: .utf8) }
        let declared = try read("Tests/AppleDoubles/FoundationDouble/Delegates.swift").lowercased()
        let methods = declared.matches(of: /source: .*delegate\/urlsession\((?:_|task|datatask|downloadtask|:)*(\w+)/)
        #expect(methods.count == 16)
        let document = try read("Sources/Longhaul/Longhaul.docc/AppleSystems.md")
        let section = try #require(document.components(separatedBy: "## Calls of the system without a handler").last)
        let decided = try (read("Sources/LonghaulURLSession/SessionListener.swift") + section).lowercased()
        for method in methods { #expect(decided.contains(method.1), "\(method.1) has no decision") }
    }

    /// The sources of the suites, by their names.
    private static func tests() throws -> [String: String] {
        let folder = root.appendingPathComponent("Tests")
        var found: [String: String] = [:]
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        for path in paths where path.hasSuffix("Tests.swift") {
            let name = folder.appendingPathComponent(path).deletingPathExtension().lastPathComponent
            found[name, default: ""] += try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        }
        return found
    }
}
