import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The files for the shell besides the programs: manual pages and completion.
@Suite struct ShellCompanionTests {
    private let product: Product
    private static let packaging =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/packaging"

    init() throws { product = try Product() }

    private func output(_ program: String, _ arguments: String...) async throws -> String {
        let result = try await product.call(program, arguments).run()
        #expect(result.ending == .exited(0), "\(program) \(arguments): \(result.errorOutput)")
        return result.output
    }

    private func shell(_ script: String, _ arguments: String...) async throws -> ProgramCall.Result {
        try await ProgramCall("/bin/bash", ["-c", script, "bash"] + arguments, environment: product.environment).run()
    }

    private func commands() async throws -> [String] {
        try await output("longhaul", "help", "--complete", "").split(separator: "\n")
            .compactMap { $0.split(separator: "\t").first.map(String.init) }.filter { $0 != "help" }
    }

    private func options(in help: String) -> Set<String> {
        Set(help.split(whereSeparator: { " ,[]\n".contains($0) }).filter { $0.hasPrefix("--") }.map(String.init))
    }

    @Test func theManualPageNamesEachCommandAndItsOptions() async throws {
        let page = try await output("longhaul", "help", "--man").replacing("\\-", with: "-")
        for command in try await commands() {
            let usage = command == "download" ? "[download] URL" : command + " "
            #expect(page.contains("\n.SS longhaul \(usage)"), "\(command)")
            let listed = try await output("longhaul", "help", command, "all").split(separator: "\n")
                .filter { $0.hasPrefix("  ") && $0.contains("--") }
            for option in options(in: listed.joined(separator: "\n")) {
                #expect(page.contains(option), "\(command) \(option)")
            }
        }
    }

    @Test func theServicesManualPageNamesItsOptions() async throws {
        let help = try await output("longhauld", "--help")
        let page = try await shell("cat \"$1\"", Self.packaging + "/man/longhauld.8").output.replacing("\\-", with: "-")
        let known = options(in: help)
        #expect(known.count >= 4)
        for option in known { #expect(page.contains(option), "\(option)") }
    }

    @Test(arguments: ["longhaul help --man", "cat \"$1\""]) func manualPagesFormatWithoutWarnings(_ source: String)
        async throws
    {
        guard access("/usr/bin/groff", X_OK) == 0 else {
            try Test.cancel("groff is not installed: it formats the manual pages")
        }
        let result = try await shell(
            source + " | groff -man -Tutf8 -ww 2>&1 > /dev/null", Self.packaging + "/man/longhauld.8")
        #expect(result.ending == .exited(0))
        #expect(result.output.isEmpty, "\(result.output)")
    }

    /// The completions of each shell. Each shell gets them from the command, so only the glue code differs.
    private static let completions: [([String], [String])] = [
        (["longhaul", "do"], ["download", "doctor"]),
        (["longhaul", "help", "lis"], ["list"]),
        (["longhaul", "pause", "--gr"], ["--group"]),
        (["longhaul", "-b", "--lim"], ["--limit-rate"]),
        (["longhaul", "https://h.example/a", "--limit"], ["--limit-rate"]),
        (["longhaul", "nonsense", "--over"], []),
        (["longhaul", "service", "st"], ["status", "start", "stop"]),
        (["longhaul", "conditions", "set", "metered", "a"], ["auto"]),
        (["longhaul", "list", "--session", ""], ["longhaul.command-line"]),
        (["longhaul", "pause", "ni"], ["night watch"]),
    ]

    private func holdATransfer() async throws {
        _ = try await output(
            "longhaul", "download", "-q", "-b", "--not-before", "+1h", "--key", "night watch", "http://127.0.0.1:9/a")
        try product.home.write([], to: "work/some file.bin")
    }

    @Test func bashCompletes() async throws {
        try await holdATransfer()
        let script = """
            . "$1"; shift
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _longhaul; printf '%s\n' "${COMPREPLY[@]}"
            """
        for (words, expected) in Self.completions + [(["longhaul", "upload", "so"], ["some file.bin"])] {
            var call = ProgramCall(
                "/bin/bash", ["-c", script, "bash", Self.packaging + "/completions/longhaul.bash"] + words,
                environment: product.environment)
            call.directory = product.home.path("work")
            let result = try await call.run()
            #expect(result.errorOutput.isEmpty, "\(words)")
            let offered = result.output.split(separator: "\n").map { String($0).replacing("\\ ", with: " ") }
            #expect(offered == expected, "\(words)")
        }
    }

    /// bash itself takes a line apart at colons, so the test types into a terminal.
    @Test func bashCompletesWhatIsTyped() async throws {
        let cases = [
            ("longhaul https://h.example:81/a --limit", "longhaul https://h.example:81/a --limit-rate "),
            ("longhaul -b --limit", "longhaul -b --limit-rate "),
            ("longhaul list --state=fail", "longhaul list --state=failed "),
        ]
        for (typed, completed) in cases {
            try await expect(
                typed, toBecome: completed, in: "/bin/bash", ["--norc", "-i"],
                preparedBy: "PS1='> '; . \(Self.packaging)/completions/longhaul.bash; "
                    + "show() { echo \"<$READLINE_LINE>\"; }; bind -x '\"\\C-g\": show'; echo re''ady\n")
        }
    }

    @Test func fishCompletes() async throws {
        guard access("/usr/bin/fish", X_OK) == 0 else { try Test.cancel("fish is not installed") }
        try await holdATransfer()
        for (words, expected) in Self.completions + [(["longhaul", "upload", "so"], ["some file.bin"])] {
            var call = ProgramCall(
                "/usr/bin/fish",
                [
                    "--no-config", "-c", "source $argv[1]; complete -C \"$argv[2]\"",
                    Self.packaging + "/completions/longhaul.fish", words.joined(separator: " "),
                ],
                environment: product.environment)
            call.directory = product.home.path("work")
            let offered = try await call.run().output.split(separator: "\n").map { line in
                String(line.prefix { $0 != "\t" }).replacing("\\ ", with: " ")
            }
            #expect(offered.sorted() == expected.sorted(), "\(words)")
        }
    }

    /// zsh completes only at a terminal, so the test types into one.
    @Test func zshCompletes() async throws {
        guard access("/usr/bin/zsh", X_OK) == 0 else { try Test.cancel("zsh is not installed") }
        try await holdATransfer()
        let cases = [
            ("longhaul dow", "longhaul download "), ("longhaul -b --limit", "longhaul -b --limit-rate "),
            ("longhaul https://h.example/a --limit", "longhaul https://h.example/a --limit-rate "),
            ("longhaul pause --gr", "longhaul pause --group "),
            ("longhaul list --session l", "longhaul list --session longhaul.command-line "),
            ("longhaul pause ni", "longhaul pause night\\ watch "),
            ("longhaul upload so", "longhaul upload some\\ file.bin "),
        ]
        for (typed, completed) in cases {
            try await expect(
                typed, toBecome: completed, in: "/usr/bin/zsh", ["-f", "-i"],
                preparedBy: "PS1='> '; fpath=(\(Self.packaging)/completions $fpath); "
                    + "autoload -U compinit; compinit -u -D; show() { print -r -- \"<$BUFFER>\" }; "
                    + "zle -N show; bindkey '^G' show; print re''ady\n")
        }
    }

    /// Types into an interactive shell and presses Tab, then Ctrl-G, which shows the command line.
    private func expect(
        _ typed: String, toBecome completed: String, in shell: String, _ arguments: [String],
        preparedBy preparation: String
    ) async throws {
        var call = ProgramCall(shell, arguments, environment: product.environment)
        call.directory = product.home.path("work")
        call.terminal = (columns: 200, rows: 24)
        let shell = try ChildProcess(call)
        shell.type(preparation)
        try await shell.waitForOutput(containing: "ready")
        shell.type(typed + "\t\u{07}")
        try await shell.waitForOutput(containing: "<\(completed)>")
    }
}
