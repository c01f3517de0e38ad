import Glibc
import LonghaulCore
import TestSupport
import Testing

/// What the shell has besides the programs: manual pages and completion.
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
        try await output("longhaul", "help").split(separator: "\n").filter { $0.hasPrefix("  ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    private func options(in help: String) -> Set<String> {
        Set(help.split(whereSeparator: { " ,[]\n".contains($0) }).filter { $0.hasPrefix("--") }.map(String.init))
    }

    @Test func theManualPageNamesEachCommandAndItsOptions() async throws {
        let page = try await output("longhaul", "help", "--man").replacing("\\-", with: "-")
        for command in try await commands() {
            #expect(page.contains("\n.SS longhaul \(command) "), "\(command)")
            let listed = try await output("longhaul", "help", command).split(separator: "\n")
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

    @Test(arguments: ["longhaul help --man", "cat \"$1\""]) func theFormatterHasNothingToSay(_ source: String)
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

    @Test(arguments: [
        (["longhaul", "do"], ["download", "doctor"]),
        (["longhaul", "help", "lis"], ["list"]),
        (["longhaul", "pause", "--gr"], ["--group"]),
        (["longhaul", "download", "--over"], ["--overwrite"]),
        (["longhaul", "nonsense", "--over"], []),
        (["longhaul", "download", "fi"], []),
        (["longhaul", "service", "sto"], ["stop"]),
        (["longhaul", "conditions", "set", "metered", "a"], ["auto"]),
    ])
    func theShellCompletes(_ words: [String], _ expected: [String]) async throws {
        let script = """
            . "$1"; shift
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _longhaul; echo "${COMPREPLY[*]}"
            """
        let call = ProgramCall(
            "/bin/bash", ["-c", script, "bash", Self.packaging + "/bash-completion/longhaul"] + words,
            environment: product.environment)
        let result = try await call.run()
        #expect(result.errorOutput.isEmpty)
        #expect(result.output.split(whereSeparator: \.isWhitespace).map(String.init) == expected)
    }
}
