import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The command lines in the documents, the lines that start with `$ longhaul`, are valid.
struct DocumentedCommandsTests {
    @Test(arguments: ["README.md", "docs/command-line.md"])
    func everyShownCommandLineCanBeRead(_ document: String) throws {
        let lines = try shownCommands(in: document)
        #expect(!lines.isEmpty)
        check(lines, of: document)
    }

    @Test func everyExampleOfTheHelpCanBeRead() {
        let examples = Command.all.flatMap { command in command.examples.map { (command.name, $0.line) } }
        for (name, line) in examples { check([String(line.prefix { $0 != "|" })], of: "help \(name)") }
        let others = HelpText.examples + ManualPage.examples
        check(others.map { String($0.line.prefix { $0 != "|" }) }, of: "help")
    }

    private func check(_ lines: [String], of document: String) {
        for line in lines {
            let words = HabitRow.words(of: line)
            do throws(TransferFailure) {
                let (command, rest) = try Program(world: TestWorld().world()).command(in: Array(words.dropFirst()))
                let arguments = try Arguments(parsing: rest, options: command.options)
                switch command.name {
                case "upload": _ = try UploadOrders(arguments, TestWorld().world())
                case "download": _ = try DownloadOrders(arguments, TestWorld().world())
                case "request": _ = try RequestOrder(arguments, TestWorld().world())
                default: break
                }
            } catch {
                Issue.record("\(document): \(error.message): \(line)")
            }
        }
    }

    private func shownCommands(in document: String) throws -> [String] {
        let lines = try documentLines(document).filter { $0.hasPrefix("$ longhaul ") }
        return lines.map { line in
            // The part after a pipe belongs to another program.
            let end = line.firstRange(of: " | ")?.lowerBound ?? line.endIndex
            return String(line[..<end].dropFirst(2))
        }
    }
}
