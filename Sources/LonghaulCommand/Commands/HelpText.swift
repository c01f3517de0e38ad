import LonghaulCore

/// What `longhaul help` prints, in the language of a catalogue.
struct HelpText {
    /// `nil` for English.
    let catalogue: Catalogue?

    private static let columns = 80

    private static let purpose =
        "longhaul moves files over HTTP and goes on without you. A transfer outlives its terminal and any crash; "
        + "about logout and reboot: longhaul help service, and for this machine: longhaul doctor."
    private static let ways = "Usage: longhaul COMMAND …, or longhaul URL… to download"
    private static let furtherHelp = [
        "Help about a command: longhaul help COMMAND", "Manual page: longhaul help --man | man -l -",
        "Version: longhaul --version",
    ]
    private static let usage = "Usage:"
    /// How the operands of commands say that options may follow.
    private static let options = "[options]"

    /// What has no place in the tables of commands and options.
    static let own = [purpose, ways] + furtherHelp + [usage, options, helpAboutACommand, helpAboutThisCommand]

    /// What shells show beside `help` and `--help`.
    static let helpAboutACommand = "Help about a command"
    static let helpAboutThisCommand = "Help about this command"

    func text(_ english: String) -> String { catalogue?.text(english) ?? english }

    func overview() -> String {
        let width = Command.all.map(\.name.count).max() ?? 0
        let commands = Command.all.flatMap { row($0.name, width, text($0.summary)) }
        let further = Self.furtherHelp.flatMap(paragraph)
        return (paragraph(Self.purpose) + [""] + paragraph(Self.ways) + [""] + commands + [""] + further)
            .joined(separator: "\n")
    }

    func about(_ command: Command) -> String {
        let operands = command.operands.replacing(Self.options, with: text(Self.options))
        var lines = DisplayText.wrapped(text(command.summary) + ".", Self.columns)
        lines += ["", text(Self.usage) + " longhaul \(command.name) \(operands)", ""]
        let rows = command.options.map { (left: Self.left($0), help: text($0.help)) }
        let width = min(34, rows.map(\.left.count).max() ?? 0)
        for row in rows { lines += self.row(row.left, width, row.help) }
        for note in command.notes { lines += [""] + paragraph(note) }
        return lines.joined(separator: "\n")
    }

    private func paragraph(_ english: String) -> [String] { DisplayText.wrapped(text(english), Self.columns) }

    /// What is explained in a column of its own, and the explanation beside it. What is too long for the column has the
    /// explanation below.
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
