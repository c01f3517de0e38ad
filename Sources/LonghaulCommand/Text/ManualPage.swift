import LonghaulIPC

/// The command's manual page, for `man(1)`: the texts of the help, in the macros of `man(7)`.
enum ManualPage {
    static func text() -> String {
        var page = Roff()
        page.raw(".TH LONGHAUL 1 \"\" \"longhaul \(Release.version)\" \"User Commands\"")
        // Command lines in examples stay as they are typed.
        page.raw(".nh\n.ad l")
        page.section("NAME", ["longhaul - download and upload files over HTTP in the background"])
        page.section("SYNOPSIS")
        page.raw(".B longhaul\n.I URL\\fR...\n[\\fIoptions\\fR]\n.br\n.B longhaul\n.I COMMAND\n[\\fIoptions\\fR]")
        page.raw(".br\n.B longhaul help\n[\\fICOMMAND\\fR [\\fBall\\fR]]")
        page.section("DESCRIPTION", description)
        page.section("EXAMPLES")
        for example in examples { page.add(example) }
        for group in Command.groups {
            page.section(group.title.uppercased())
            for command in group.commands { page.add(command) }
            if group.commands.contains(where: { $0.name == "download" }) {
                let scope = "The commands download, upload, and request have these options."
                page.section("TRANSFER OPTIONS", [scope, Option.transferUnits])
                for group in OptionGroup.transfer { page.subsection(group) }
            }
        }
        page.section("COMMON OPTIONS", ["Most commands have these options."])
        for option in common { page.add(option) }
        page.section("EXIT STATUS")
        for status in exitStatus { page.entry(status.number, status.meaning) }
        page.section("FILES")
        page.entry(
            "$XDG_STATE_HOME/longhaul",
            "The queue, the log, and the socket of the service (default: ~/.local/state/longhaul).")
        page.entry("$XDG_RUNTIME_DIR/longhaul/socket", "The socket on which systemd starts the service.")
        page.entry(
            "$XDG_CONFIG_HOME/longhaul/options",
            "Default options of download, upload, and request: one long option per line, such as limit-rate 2M "
                + "(default: ~/.config/longhaul/options).")
        page.section("ENVIRONMENT")
        page.entry("XDG_STATE_HOME, XDG_RUNTIME_DIR, XDG_CONFIG_HOME, HOME", "The directories of these files.")
        page.entry("http_proxy, https_proxy, all_proxy, no_proxy", "Proxies, as with curl.")
        page.entry("CURL_CA_BUNDLE, SSL_CERT_FILE", "The file of certificate authorities, without --cacert.")
        page.entry(
            "LONGHAUL_CREDENTIAL_HELPER", "The default credential helper. The service reads it when it starts.")
        page.entry("LANGUAGE, LC_ALL, LC_MESSAGES, LANG", "The language of messages, if a translation exists.")
        page.entry("NO_COLOR", "Disables colors if set and not empty.")
        page.section("SEE ALSO")
        page.raw(".BR longhauld (8),\n.BR curl (1)")
        return page.lines.joined(separator: "\n") + "\n"
    }

    static let description = [
        "`longhaul` submits transfers to the service `longhauld`, starts that service if necessary, and shows progress. "
            + "Leaving the command with Ctrl-C, or closing the terminal, does not stop a transfer. Accepted transfers "
            + "survive crashes and reboots.",
        "`longhaul URL` is short for `longhaul download URL`. To name a transfer (ID), use its identifier, four or more "
            + "digits of its beginning or end, its key, its file name, or its number in the list. Shells complete all "
            + "of them.",
        "If several transfers have one name, `show`, `watch`, `history`, and `doctor` choose the newest. Other commands "
            + "choose the transfer that they apply to: `retry` the failed one, the others the one that has not ended. A "
            + "key takes precedence over digits, and digits over a name. If two transfers remain, the command lists them "
            + "and exits.",
        "Results go to standard output, and everything else to standard error. On a terminal, an area at the bottom "
            + "shows active transfers, and why the others wait. Otherwise the command prints a line when a transfer "
            + "starts, when its state changes, every ten percent or thirty seconds, and at its end.",
        "After `longhaul curl`, `longhaul wget`, or `longhaul aria2c`, the options are those of that program, and so are "
            + "standard output, silence, and the replacement of files. Longhaul refuses an option that it cannot honor, "
            + "with a sentence that names it. The guide for users of these programs lists the options without an effect, "
            + "and the other differences. Without the program's name, its options work if they mean the same. For any "
            + "other option, Longhaul prints the command that does what the option does.",
    ]

    /// Options that the page does not repeat for each command.
    fileprivate static let common: [Option] = [.session, .json, .quiet]

    static let examples: [Command.Example] = [
        .init("longhaul https://example.org/film.mp4", "Download a file to the current directory."),
        .init("longhaul -b -d ~/Downloads -i urls.txt", "Download a list of URLs in the background."),
        .init("longhaul https://example.org/src.tar.gz -o - | tar xz", "Unpack an archive while it downloads."),
        .init("longhaul --no-metered --between 22:00-06:00 https://example.org/disk.img", "Download at night."),
        .init("longhaul upload --tus film.mp4 https://example.org/uploads", "Upload resumably to a tus server."),
        .init("longhaul upload -F 'photo=@a.jpg;type=image/jpeg' https://example.org/photos", "Submit a form."),
        .init("longhaul watch", "Show the progress of all active transfers."),
        .init("longhaul pause film.mp4", "Pause a transfer. Resume it with longhaul resume film.mp4."),
        .init("longhaul doctor 3c9e98ab", "Explain why a transfer waits or failed."),
        .init("longhaul setup", "Keep transfers running after logout and reboot."),
    ]

    /// The statuses of ``ExitStatus``.
    static let exitStatus: [(number: String, meaning: String)] = [
        ("0", "Success."),
        ("1", "Several kinds of failure, or transfers cancelled or removed while watched."),
        ("2", "Usage error: invalid command line, option, or value."),
        ("3", "Local file error: missing, unreadable, changed, already exists, or no space left."),
        ("4", "Network error: no network, unknown host, connection refused or lost, or proxy failure."),
        ("5", "TLS or certificate error."),
        ("6", "Client error: the server rejected the request (most 4xx responses)."),
        ("7", "Server error: 5xx response, server busy, or protocol violation."),
        ("8", "Authentication required by the server or the proxy."),
        ("9", "Content error: wrong checksum or length, file changed, or response truncated."),
        ("10", "Unknown outcome: the server may or may not have processed the request."),
        ("11", "Timeout: a time limit expired."),
        ("12", "Service or store error, or a failed check of doctor."),
        ("13", "No such transfer, or the operation does not apply to its state."),
        ("14", "Success, but the queue or the settings are damaged and you have not acknowledged it."),
        ("129, 130, 143", "Terminated by SIGHUP, SIGINT (Ctrl-C), or SIGTERM. Transfers continue, except with -o -."),
        ("141", "Standard output was closed (broken pipe)."),
    ]
}

/// Lines of a manual page.
private struct Roff {
    private(set) var lines: [String] = []

    mutating func raw(_ text: String) { lines.append(text) }

    mutating func section(_ title: String, _ paragraphs: [String] = []) {
        lines.append(".SH " + title)
        add(paragraphs)
    }

    mutating func subsection(_ group: OptionGroup) {
        lines.append(".SS " + Self.escaped(group.title))
        for option in group.options { add(option) }
        add(notesOf: group)
    }

    mutating func entry(_ term: String, _ text: String) {
        lines += [".TP", ".B " + Self.escaped(term), Self.escaped(text)]
    }

    mutating func add(_ example: Command.Example) {
        entry(example.line, example.purpose)
    }

    mutating func add(_ option: Option) {
        let short = option.short.map { "-\($0), " } ?? ""
        entry(short + "--" + option.long + (option.value.map { " " + $0 } ?? ""), option.help + ".")
    }

    /// Adds a command without the options that other sections explain.
    mutating func add(_ command: Command) {
        lines += [".SS \(Self.escaped(command.usage))", Self.escaped(command.summary) + "."]
        let shared = [Option.transfer, OptionGroup.conditions.options].first { $0.allSatisfy(command.options.contains) }
        let startsTransfers = shared?.count == Option.transfer.count
        for group in command.groups {
            let options = group.options.filter { shared?.contains($0) != true && !ManualPage.common.contains($0) }
            if options.isEmpty { continue }
            if command.groups.count > 1 { lines += [".PP", ".I " + Self.escaped(group.title)] }
            for option in options { add(option) }
            if options.count == group.options.count || command.groups.count == 1 { add(notesOf: group) }
        }
        let further = startsTransfers ? "More options" : "Conditions"
        let notes = command.notes.filter { $0 != Option.transferUnits }
        for note in notes + (shared == nil ? [] : ["\(further): see TRANSFER OPTIONS."]) {
            lines.append(".PP")
            add([note])
        }
        guard !command.examples.isEmpty, !startsTransfers else { return }
        lines += [".PP", ".I Examples"]
        for example in command.examples { entry(example.line, example.purpose + ".") }
    }

    private mutating func add(notesOf group: OptionGroup) {
        for note in group.notes { lines += [".PP", Self.escaped(note)] }
    }

    private mutating func add(_ paragraphs: [String]) {
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { lines.append(".PP") }
            lines.append(Self.escaped(paragraph))
        }
    }

    /// Escapes dashes, which are typed, and a first character that would start a request. Code is bold.
    private static func escaped(_ text: String) -> String {
        var isCode = false
        let safe = text.reduce(into: "") { safe, character in
            switch character {
            case "`":
                isCode.toggle()
                safe += isCode ? "\\fB" : "\\fR"
            case "\\": safe += "\\e"
            case "-": safe += "\\-"
            case "…": safe += "..."
            default: safe.append(character)
            }
        }
        return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
    }
}
