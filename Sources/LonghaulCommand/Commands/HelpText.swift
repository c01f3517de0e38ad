import LonghaulCore

/// What `longhaul help` prints.
enum HelpText {
    static func overview() -> String {
        var lines = [
            "longhaul moves files over HTTP and goes on without you. A transfer outlives its terminal and any crash;",
            "about logout and reboot: longhaul help service, and for this machine: longhaul doctor.", "",
            "Usage: longhaul COMMAND …, or longhaul URL… to download", "",
        ]
        let width = Command.all.map(\.name.count).max() ?? 0
        for command in Command.all { lines.append("  " + DisplayText.fit(command.name, width + 2) + command.summary) }
        lines += [
            "", "Help about a command: longhaul help COMMAND", "Manual page: longhaul help --man | man -l -",
            "Version: longhaul --version",
        ]
        return lines.joined(separator: "\n")
    }

    static func about(_ command: Command) -> String {
        var lines = [command.summary + ".", "", "Usage: longhaul \(command.name) \(command.operands)", ""]
        let rows = command.options.map { (left: left($0), help: $0.help) }
        let width = min(34, rows.map(\.left.count).max() ?? 0)
        for row in rows {
            // A long option has its help on the next line, so that the column stays narrow.
            let isLong = row.left.count > width
            if isLong { lines.append("  " + row.left) }
            lines.append("  " + DisplayText.fit(isLong ? "" : row.left, width + 2) + row.help)
        }
        for note in command.notes { lines += [""] + wrapped(note) }
        return lines.joined(separator: "\n")
    }

    private static func wrapped(_ paragraph: String) -> [String] {
        var lines: [String] = []
        for word in paragraph.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 80 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static func left(_ option: Option) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + "--" + option.long + (option.value.map { " " + $0 } ?? "")
    }
}
