import LonghaulCore

/// The output of `longhaul help`, in the language of a catalogue.
struct HelpText {
    /// `nil` for English.
    let catalogue: Catalogue?

    private static let columns = 80

    private static let purpose =
        "Longhaul downloads and uploads files over HTTP. Transfers continue after you close the terminal, and resume "
        + "after a crash or a reboot."
    private static let furtherHelp = [
        "Options and examples of a command: longhaul help COMMAND",
        "Manual page: longhaul help --man | man -l -",
    ]
    private static let usage = "Usage:"
    private static let examplesTitle = "Examples"
    private static let commonTitle = "Common options"
    static let examples: [Command.Example] = [
        .init("longhaul https://example.org/film.mp4", "Download a file"),
        .init("longhaul -b -d ~/Downloads -i urls.txt", "Download a list of URLs in the background"),
    ]
    /// The word in the operands of commands that may have options.
    private static let options = "[options]"
    private static let allOptions = "All options by task: longhaul help %1 all"

    /// The texts that do not belong to a command.
    static let own =
        [purpose] + furtherHelp + [usage, examplesTitle, commonTitle, options, allOptions] + examples.map(\.purpose)
        + [helpAboutACommand, helpAboutThisCommand]

    /// Descriptions of `help` and `--help` in the completion of shells.
    static let helpAboutACommand = "Show help for a command"
    static let helpAboutThisCommand = "Show help for this command"

    func text(_ english: String) -> String { catalogue?.text(english) ?? english }

    func overview() -> String {
        let usage = text(Self.usage)
        let indent = DisplayText.fit("", DisplayText.width(usage))
        var lines = paragraph(Self.purpose)
        lines += ["", "\(usage) longhaul URL… \(text(Self.options))"]
        lines += ["\(indent) longhaul COMMAND … \(text(Self.options))"]
        let width = Command.all.map(\.name.count).max() ?? 0
        for group in Command.groups {
            lines += heading(group.title)
            lines += group.commands.flatMap { row($0.name, width, text($0.summary)) }
        }
        lines += heading(Self.examplesTitle)
        let exampleWidth = Self.examples.map(\.line.count).max() ?? 0
        lines += Self.examples.flatMap { row($0.line, exampleWidth, text($0.purpose)) }
        lines += [""] + Self.furtherHelp.flatMap(paragraph)
        return lines.joined(separator: "\n")
    }

    /// Returns the page of a command, with `isWhole` that of `longhaul help COMMAND all`.
    func about(_ command: Command, isWhole: Bool = false) -> String {
        let isShort = !isWhole && !command.common.isEmpty
        var lines = paragraph(command.summary)
        lines[lines.count - 1] += "."
        lines += ["", text(Self.usage) + " " + command.usage.replacing(Self.options, with: text(Self.options))]
        let groups = isShort ? [OptionGroup(Self.commonTitle, command.common)] : command.groups
        for group in groups {
            lines += heading(group.title)
            let width = group.options.map { Self.left($0).count }.filter { $0 <= 28 }.max() ?? 0
            lines += group.options.flatMap { row(Self.left($0), width, text($0.help)) }
        }
        if !isShort { for note in command.notes { lines += [""] + paragraph(note) } }
        if !command.examples.isEmpty { lines += heading(Self.examplesTitle) }
        for example in command.examples {
            lines.append("  " + example.line)
            lines += DisplayText.wrapped(text(example.purpose), Self.columns - 6).map { "      " + $0 }
        }
        if isShort { lines += [""] + [Message.fill(text(Self.allOptions), with: [command.name])] }
        return lines.joined(separator: "\n")
    }

    private func heading(_ title: String) -> [String] { ["", text(title) + ":"] }

    private func paragraph(_ english: String) -> [String] { DisplayText.wrapped(text(english), Self.columns) }

    /// Returns an entry with its explanation beside it, or below if the entry is wider than its column.
    private func row(_ left: String, _ width: Int, _ right: String) -> [String] {
        let margin = "  " + DisplayText.fit("", width + 2)
        let explained = DisplayText.wrapped(right, Self.columns - margin.count).map { margin + $0 }
        guard left.count <= width, let first = explained.first else { return ["  " + left] + explained }
        return ["  " + left + first.dropFirst(2 + left.count)] + explained.dropFirst()
    }

    private static func left(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--" + option.long + (option.value.map { " " + $0 } ?? "")
    }
}
