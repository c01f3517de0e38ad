import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The command lines that the documents show, the lines that begin with `$ longhaul`, can be typed.
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
            var words = split(line)
            if words.count > 1, words[1].contains("://") || words[1].hasPrefix("-") {
                words.insert("download", at: 1)
            }
            guard words.count > 1, let command = Command.all.first(where: { $0.name == words[1] }) else {
                Issue.record("\(document): there is no such command: \(line)")
                continue
            }
            do throws(TransferFailure) {
                let arguments = try Arguments(parsing: words.dropFirst(2), options: command.options)
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
            // What another program does with the output is not read here.
            let end = line.firstRange(of: " | ")?.lowerBound ?? line.endIndex
            return String(line[..<end].dropFirst(2))
        }
    }

    /// Words as a shell would see them, as far as the documents need it: single quotes keep spaces.
    private func split(_ line: String) -> [String] {
        var words: [String] = []
        for (index, piece) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words[words.count - 1] += piece
                continue
            }
            for (number, word) in piece.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
                if number == 0, index > 0 { words[words.count - 1] += word } else { words.append(String(word)) }
            }
        }
        return words.filter { !$0.isEmpty }
    }
}
