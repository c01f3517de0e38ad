import Glibc
import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The generated pages of `docs/reference`. With `LONGHAUL_RENEW_REFERENCE=1`, the tests write them.
struct ReferencePageTests {
    private func expect(_ page: ReferencePage.Page) throws {
        if getenv("LONGHAUL_RENEW_REFERENCE") != nil {
            return try LocalFiles.write(Array(page.text.utf8), to: documentRoot + page.path, overwrites: true)
        }
        let known = (try? documentText(page.path)) ?? ""
        #expect(page.text == known, "\(page.path) is stale. LONGHAUL_RENEW_REFERENCE=1 writes it; read the diff.")
    }

    @Test func commandPagesAreCurrent() throws {
        for page in ReferencePage.commandPages { try expect(page) }
        let files = Set(Scratch.names(in: documentRoot + "docs/reference/cli"))
        #expect(files == Set(ReferencePage.commandPages.map { String($0.path.split(separator: "/").last ?? "") }))
    }

    /// Looks at the pages as they are, whatever writes them.
    @Test(arguments: Command.all.map(\.name)) func pageHasAnEntryForEachOption(_ name: String) throws {
        let command = try #require(Command.named(name))
        let rows = try documentLines("docs/reference/cli/\(name).md").filter { $0.hasPrefix("| `") }
        for option in command.listed {
            let value = option.value.map { " " + $0.replacing("|", with: "\\|") } ?? ""
            let short = option.short.map { "-\($0), " } ?? ""
            let entry = "| `\(short)--\(option.long)\(value)` | \(option.help) |"
            #expect(rows.contains { $0 == entry }, "\(entry)")
        }
    }

    @Test func eachGroupHasAnExample() throws {
        for command in Command.all {
            for group in command.groups where !group.options.isEmpty {
                let lines = (command.examples + group.examples).map { ReferencePage.line($0, of: command) }
                let uses = try lines.filter { line in
                    let words = HabitRow.words(of: line).dropFirst()
                    let (found, rest) = try Program(world: TestWorld().world()).command(in: Array(words))
                    let arguments = try Arguments(parsing: rest, options: found.options)
                    return found.name == command.name && group.options.contains(where: arguments.has)
                }
                #expect(!uses.isEmpty, "\(command.name): \(group.title)")
            }
        }
    }

    @Test func tablesOfExitCodesAreCurrent() throws {
        let path = "docs/reference/exit-codes.md"
        let tables = [ReferencePage.exitStatuses, try ReferencePage.failureCodes()]
        try expect((path, ReferencePage.replacingTables(of: try documentText(path), with: tables)))
    }

    /// Looks at the page as it is, whatever writes it.
    @Test func eachFailureCodeHasARow() throws {
        let rows = try documentLines("docs/reference/exit-codes.md").filter { $0.hasPrefix("| `") }
        let codes = rows.map { $0.split(separator: "`")[1] }
        #expect(codes == FailureCode.allCases.map { Substring($0.rawValue) })
        for (code, row) in zip(FailureCode.allCases, rows) {
            #expect(row.hasSuffix(" | \(ExitStatus(code).number) |"), "\(row)")
            #expect(row.split(separator: "|").count == 3 && row.count > 30, "\(row)")
        }
    }
}
