import LonghaulCore
import Testing

@testable import LonghaulCommand

/// The command lines in the documents and the help are valid.
struct DocumentedCommandsTests {
    /// The documents with lines that begin with `$ longhaul`.
    private static let documents =
        ["README.md", "docs/tutorial/first-transfer.md"]
        + Scratch.names(in: documentRoot + "docs/how-to").sorted().map { "docs/how-to/" + $0 }

    @Test(arguments: documents) func everyShownCommandLineCanBeRead(_ document: String) throws {
        try check(try shownCommands(in: document), of: document)
    }

    @Test func documentsShowCommandLines() throws {
        let lines = try Self.documents.flatMap(shownCommands)
        #expect(Self.documents.count >= 12 && lines.count >= 25)
    }

    @Test func everyExampleOfTheHelpCanBeRead() throws {
        for command in Command.all {
            let examples = command.examples + command.groups.flatMap(\.examples)
            let lines = examples.map { ReferencePage.line($0, of: command) }
            try check(lines.map { String($0.prefix { $0 != "|" }) }, of: "help \(command.name)")
        }
        let others = HelpText.examples + ManualPage.examples
        try check(others.map { String($0.line.prefix { $0 != "|" }) }, of: "help")
    }

    private func check(_ lines: [String], of document: String) throws {
        let scratch = Scratch()
        try scratch.write("-----BEGIN CERTIFICATE-----\n", to: "client.pem")
        for name in ["cookies.txt", "film.mp4", "film.mp4.crdownload", "order.json", "urls.txt"] {
            try scratch.write(name == "cookies.txt" ? "Set-Cookie: a=1\n" : "1", to: name)
        }
        let test = TestWorld()
        var world = test.world(directory: scratch.path)
        world.environment["HOME"] = scratch.path
        for line in lines {
            let words = HabitRow.words(of: line)
            do throws(TransferFailure) {
                let (command, rest) = try Program(world: world).command(in: Array(words.dropFirst()))
                let arguments = try Arguments(parsing: rest, options: command.options)
                switch command.name {
                case "upload": _ = try UploadOrders(arguments, world)
                case "download": _ = try DownloadOrders(arguments, world)
                case "request": _ = try RequestOrder(arguments, world)
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
