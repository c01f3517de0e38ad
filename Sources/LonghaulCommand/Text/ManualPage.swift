import LonghaulIPC

/// The command's manual page, for `man(1)`: what the help says, in the macros of `man(7)`.
enum ManualPage {
    static func text() -> String {
        var page = Roff()
        page.raw(".TH LONGHAUL 1 \"\" \"longhaul \(Release.version)\" \"User Commands\"")
        page.section("NAME", ["longhaul - move files over HTTP, and go on without the terminal that asked"])
        page.section("SYNOPSIS")
        page.raw(".B longhaul\n.I COMMAND\n[\\fIoptions\\fR]\n.br\n.B longhaul\n.I URL\\fR...\n[\\fIoptions\\fR]")
        page.section("DESCRIPTION", description)
        page.section("COMMANDS")
        for command in Command.all { page.add(command, common: common) }
        page.section("COMMON OPTIONS", ["The commands download, upload and request have these options as well."])
        for option in common { page.add(option) }
        page.section("EXAMPLES")
        for example in examples { page.example(example.line, example.purpose) }
        page.section("EXIT STATUS", [exitStatus])
        page.section("FILES")
        page.entry(
            "$XDG_STATE_HOME/longhaul",
            "The queue, a log, and the socket where the service listens; ~/.local/state/longhaul where that is not set."
        )
        page.entry("$XDG_RUNTIME_DIR/longhaul/socket", "Where systemd listens for a service that does not run.")
        page.section("ENVIRONMENT")
        page.entry("XDG_STATE_HOME, HOME, XDG_RUNTIME_DIR", "Where these files are.")
        page.entry(
            "LONGHAUL_CREDENTIAL_HELPER", "Read by the service: the command that is asked for credentials by default.")
        page.entry("LANGUAGE, LC_ALL, LC_MESSAGES, LANG", "The language of the help, where there is a translation.")
        page.entry("NO_COLOR", "No colour if it is set and not empty.")
        page.section("SEE ALSO")
        page.raw(".BR longhauld (8),\n.BR curl (1)")
        return page.lines.joined(separator: "\n") + "\n"
    }

    private static let description = [
        "longhaul hands transfers to longhauld(8), which it starts when it is needed, and stays to watch. Leaving it, with "
            + "Ctrl-C or by closing the terminal, never stops a transfer. Every step is saved to disk before it is reported.",
        "A URL alone is downloaded: longhaul URL is longhaul download URL.",
        "A transfer is named by its identifier, by four digits or more of its beginning or end, by the key that it was given, "
            + "by the name of its file, or by the number that lists show. Shells complete all of them.",
        "Results go to standard output, everything else to standard error.",
    ]

    /// Told once, and not with each command that has them.
    private static let common = Option.transfer

    private static let examples: [(line: String, purpose: String)] = [
        ("longhaul https://example.org/film.mp4", "Downloads a file into this directory."),
        ("longhaul download -b -d ~/Downloads -i urls.txt", "Leaves a list of downloads to the service."),
        ("longhaul watch", "Shows how far everything is."),
        ("longhaul upload --tus holiday.mp4 https://example.org/uploads", "Uploads so that a break costs nothing."),
        ("longhaul upload -F 'photo=@a.jpg;type=image/jpeg' https://example.org/photos", "Sends a form."),
        ("longhaul pause film.mp4", "Stops a transfer until longhaul resume film.mp4."),
        ("longhaul download --no-metered --between 22:00-06:00 https://example.org/disk.img", "Waits for its time."),
        ("longhaul doctor 3c9e98ab", "Says why a transfer is where it is, and what would move it."),
        ("longhaul setup", "Has transfers go on after logout and after a reboot."),
    ]

    private static let exitStatus =
        "0: all was done. 1: several kinds of failure. 2: usage. 3: a file here. 4: the way to the server. 5: TLS. 6: the "
        + "server said no. 7: the server has trouble. 8: other credentials are wanted. 9: the content is wrong. 10: nobody "
        + "knows whether the server did it. 11: a time limit. 12: the service or its store, or a check of doctor. 13: no such "
        + "transfer. 14: all was done, and the queue was damaged, which nobody has taken note of yet. "
        + "129, 130, 143: ended by a signal; the transfers go on. 141: nobody reads standard output any more."
}

/// Lines of a manual page.
private struct Roff {
    private(set) var lines: [String] = []

    mutating func raw(_ text: String) { lines.append(text) }

    mutating func section(_ title: String, _ paragraphs: [String] = []) {
        lines.append(".SH " + title)
        add(paragraphs)
    }

    mutating func entry(_ term: String, _ text: String) {
        lines += [".TP", ".B " + Self.escaped(term), Self.escaped(text)]
    }

    mutating func example(_ line: String, _ purpose: String) {
        lines += [".TP", ".B " + Self.escaped(line), Self.escaped(purpose)]
    }

    mutating func add(_ option: Option) {
        let short = option.short.map { "-\($0), " } ?? ""
        entry(short + "--" + option.long + (option.value.map { " " + $0 } ?? ""), option.help + ".")
    }

    /// The options in `common` are told elsewhere, unless this command has only some of them.
    mutating func add(_ command: Command, common: [Option]) {
        let usage = "longhaul \(command.name) \(command.operands)"
        lines += [".SS \(Self.escaped(usage))", Self.escaped(command.summary) + "."]
        let hasCommon = common.allSatisfy(command.options.contains)
        for option in command.options where !hasCommon || !common.contains(option) { add(option) }
        lines.append(".PP")
        add(command.notes + (hasCommon ? ["See COMMON OPTIONS for the others."] : []))
    }

    private mutating func add(_ paragraphs: [String]) {
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { lines.append(".PP") }
            lines.append(Self.escaped(paragraph))
        }
    }

    /// A dash that is typed, and no line that begins like a request.
    private static func escaped(_ text: String) -> String {
        let safe = text.reduce(into: "") { safe, character in
            switch character {
            case "\\": safe += "\\e"
            case "-": safe += "\\-"
            case "…": safe += "..."
            default: safe.append(character)
            }
        }
        return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
    }
}
