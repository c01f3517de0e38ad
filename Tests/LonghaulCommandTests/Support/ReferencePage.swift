import LonghaulCore

@testable import LonghaulCommand

/// The generated pages of the reference in Markdown.
enum ReferencePage {
    typealias Page = (path: String, text: String)

    static var commandPages: [Page] {
        [("docs/reference/cli/README.md", overview)]
            + Command.all.map { ("docs/reference/cli/\($0.name).md", page(of: $0)) }
    }

    private static let columns = 100
    private static let source =
        "<!-- LONGHAUL_RENEW_REFERENCE=1 scripts/test --filter ReferencePageTests writes this page. -->"

    private static var overview: String {
        var blocks = ["# Commands"] + ManualPage.description.map(wrapped)
        for group in Command.groups {
            let rows = group.commands.map { ["[`\($0.name)`](\($0.name).md)", escaped($0.summary)] }
            blocks += ["## \(group.title)", table(["Command", "Purpose"], rows)]
        }
        let names = Command.otherNames.map { "`\($0.0)` for `\($0.1)`" }
        blocks.append("## Other names\n\n" + wrapped("These names work too: \(names.joined(separator: ", "))."))
        blocks.append(
            wrapped(
                "`longhaul help` lists the commands, `longhaul help COMMAND` shows the common options and examples of one, "
                    + "and `longhaul help COMMAND all` shows all of its options. `longhaul help --man` prints the manual page. "
                    + "See also [exit statuses](../exit-codes.md) and [JSON](../json.md)."))
        return joined(blocks)
    }

    private static func page(of command: Command) -> String {
        var blocks = ["# longhaul \(command.name)", "```\n\(command.usage)\n```"]
        blocks.append(prose(command.summary + ". " + (command.notes.first ?? "")))
        if !command.examples.isEmpty { blocks += ["## Examples", examples(command.examples, of: command)] }
        for group in command.groups {
            let rows = group.options.map { ["`\(escaped(left($0)))`", escaped($0.help)] }
            blocks += ["## \(group.title)", table(["Option", "Effect"], rows)] + group.notes.map(wrapped)
            if !group.examples.isEmpty { blocks.append(examples(group.examples, of: command)) }
        }
        if command.name == "top" {
            let rows = TopState.help.map { ["`\(escaped($0.0.replacing("  ", with: " ")))`", escaped($0.1)] }
            blocks += ["## Keys", table(["Key", "Effect"], rows)]
        }
        if command.notes.count > 1 { blocks += ["## Notes"] + command.notes.dropFirst().map(prose) }
        if let links = further[command.name] { blocks.append(wrapped("See also " + links + ".")) }
        return joined(blocks)
    }

    /// Pages that answer the next question about a command.
    private static let further = [
        "download":
            "[download a list](../../how-to/download-a-list.md), [log in](../../how-to/log-in.md), "
            + "[use a proxy](../../how-to/use-a-proxy.md), and [exit statuses](../exit-codes.md)",
        "upload":
            "[log in](../../how-to/log-in.md), [use a proxy](../../how-to/use-a-proxy.md), and "
            + "[exit statuses](../exit-codes.md)",
        "request": "[use Longhaul in scripts](../../how-to/use-in-scripts.md) and [exit statuses](../exit-codes.md)",
        "list": "[states and reasons](../states-and-reasons.md)",
        "doctor": "[states and reasons](../states-and-reasons.md) and [troubleshoot](../../how-to/troubleshoot.md)",
        "limits":
            "[limits and turns](../configuration.md#turns) and [limit bandwidth](../../how-to/limit-bandwidth.md)",
        "rules": "[rules and conditions](../configuration.md#rules-and-conditions)",
        "conditions": "[rules and conditions](../configuration.md#rules-and-conditions)",
        "credentials": "[log in](../../how-to/log-in.md)",
        "session": "[waking](../../../Sources/Longhaul/Longhaul.docc/Waking.md) and "
            + "[damage](../../internals/store-format.md#damage)",
        "tasks": "[background tasks](../../../Sources/Longhaul/Longhaul.docc/RunBackgroundTasks.md)",
        "service": "[files and environment](../files-and-environment.md)",
        "setup": "[keep transfers running](../../how-to/keep-transfers-running.md)",
    ]

    private static func examples(_ examples: [Command.Example], of command: Command) -> String {
        let lines = examples.map { "# \($0.purpose)\n\(line($0, of: command))" }
        return "```sh\n" + lines.joined(separator: "\n") + "\n```"
    }

    /// The whole command line of an example.
    static func line(_ example: Command.Example, of command: Command) -> String {
        guard example.line.hasPrefix("-") else { return example.line }
        let start =
            switch command.name {
            case "upload": "longhaul upload film.mp4 https://example.org/films/ "
            case "request": "longhaul request https://example.org/status "
            default: "longhaul https://example.org/film.mp4 "
            }
        return start + example.line
    }

    private static func left(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        return short + "--" + option.long + (option.value.map { " " + $0 } ?? "")
    }

    private static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
            .replacing("| --- |", with: "|---|").replacing(" --- |", with: "---|")
    }

    private static func joined(_ blocks: [String]) -> String { (blocks + [source]).joined(separator: "\n\n") + "\n" }

    private static func wrapped(_ markdown: String) -> String {
        DisplayText.wrapped(markdown, columns).joined(separator: "\n")
    }

    /// Makes a paragraph of the help, with its options as code.
    private static func prose(_ text: String) -> String {
        let words = text.trimming(\.isWhitespace).split(separator: " ").map { word in
            let core = word.drop { "(".contains($0) }
            let end = core.reversed().prefix { ".,;:)".contains($0) }.count
            let option = String(core.dropLast(end))
            let isOption = option.first == "-" && option.dropFirst().allSatisfy { $0.isLetter || $0 == "-" }
            // DocC takes @reboot at the start of a line for a directive.
            guard isOption || option.first == "@" else { return escaped(String(word)) }
            return word.prefix(word.count - core.count) + "`\(option)`" + core.suffix(end)
        }
        return wrapped(words.joined(separator: " ").replacing("` `-`", with: " -`"))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("|", with: "\\|").replacing("<", with: "\\<")
    }

    // MARK: - Exit statuses

    static var exitStatuses: String {
        table(["Status", "Meaning"], ManualPage.exitStatus.map { [$0.number, escaped($0.meaning)] })
    }

    /// The failure codes with the comments of their declarations.
    static func failureCodes() throws -> String {
        var comments: [String: String] = [:]
        var lines: [Substring] = []
        for line in try documentLines("Sources/LonghaulCore/Vocabulary/FailureCode.swift") {
            let line = line.drop(while: \.isWhitespace)
            if line.hasPrefix("///") {
                lines.append(line.dropFirst(4))
            } else {
                if line.hasPrefix("case ") { comments[String(line.dropFirst(5))] = lines.joined(separator: " ") }
                lines = []
            }
        }
        return table(
            ["Code", "Meaning and remedy", "Status"],
            FailureCode.allCases.map { code in
                ["`\(code.rawValue)`", symbols(comments[code.rawValue] ?? ""), String(ExitStatus(code).number)]
            })
    }

    /// Makes links of DocC to names: ``TransferOptions/credential``.
    private static func symbols(_ comment: String) -> String {
        let parts = comment.split(separator: "``", omittingEmptySubsequences: false).enumerated()
        return parts.map { $0 % 2 == 0 ? String($1) : "`\($1.replacing("/", with: "."))`" }.joined()
    }

    /// Replaces the tables of a document that have the head of one of these.
    static func replacingTables(of document: String, with tables: [String]) -> String {
        var lines: [Substring] = []
        var isReplaced = false
        for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
            isReplaced = isReplaced && line.hasPrefix("|")
            if isReplaced { continue }
            let table = tables.first { $0.hasPrefix(line + "\n") }
            isReplaced = table != nil
            lines.append(table.map { $0[...] } ?? line)
        }
        return lines.joined(separator: "\n")
    }
}
