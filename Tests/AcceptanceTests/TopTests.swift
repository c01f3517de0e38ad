import LonghaulCore
import TestSupport
import Testing

/// `longhaul top` on a separate terminal.
@Suite(.onEachTransport) struct TopTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    /// The sequence that restores the screen.
    private let ending = "\u{1B}[?25h\u{1B}[?1049l"

    init() throws {
        product = try Product()
        let content = Content(seed: 6, length: 3_000_000)
        server = try NastyServer(routes: [
            "/a": Route(.file(content, etag: "\"v1\"").stalled(after: 1_000_000, by: latch))
        ])
    }

    private func start(_ call: ProgramCall) throws -> ChildProcess {
        var call = call
        call.terminal = (columns: 100, rows: 24)
        return try ChildProcess(call)
    }

    @Test func keysChangeTheSelectedTransfer() async throws {
        let id = try await product.succeed("download", "-q", "-b", server.url("/a"))
        let top = try start(product.call("longhaul", ["top"]))
        try await top.waitForOutput(containing: "> ↓ a ")
        top.type("p")
        try await product.wait(for: id, state: "paused")
        latch.open()
        top.type("r")
        try await product.wait(for: id, state: "succeeded")
        top.type("h")
        try await top.waitForOutput(containing: "History of a")
        top.type("qq")
        #expect(try await top.waitForEnd() == .exited(0))
        #expect(top.output.hasSuffix(ending))
    }

    @Test func aServiceThatIsKilledComesBack() async throws {
        let id = try await product.succeed("download", "-q", "-b", server.url("/a"))
        let top = try start(product.call("longhaul", ["top"]))
        try await top.waitForOutput(containing: "> ↓ a ")
        try await product.killService()
        try await top.waitForOutput(containing: "Reconnecting")
        latch.open()
        try await product.wait(for: id, state: "succeeded")
        top.type("i")
        try await top.waitForOutput(containing: "The transfer is complete.")
        top.signal(15)
        #expect(try await top.waitForEnd() == .exited(143))
        #expect(top.output.hasSuffix(ending))
    }

    @Test func theTerminalIsAsItWasAfterControlZAndAtTheEnd() async throws {
        // A shell with job control: it prints the terminal's settings before, in between, and afterwards.
        let script = "set -m; stty -g; longhaul top; echo; stty -g; fg; echo; stty -g"
        let shell = try start(ProgramCall("/bin/bash", ["-c", script], environment: product.environment))
        try await shell.waitForOutput(containing: "No active transfers")
        shell.type("\u{1A}")
        // The shell has the terminal back, and top has drawn its screen a second time.
        try await shell.waitForOutput(for: "the second screen") { output in
            output.split(separator: "No active transfers").count > 2 ? () : nil
        }
        shell.type("\u{3}")
        #expect(try await shell.waitForEnd() == .exited(0))
        let modes = shell.output.split(whereSeparator: \.isNewline).filter { line in
            line.count { $0 == ":" } > 10 && line.allSatisfy { $0.isHexDigit || $0 == ":" }
        }
        #expect(modes.count == 3 && Set(modes).count == 1, "\(modes)")
    }

    /// As with `su -c`: a session that has the terminal open, and that the terminal does not control.
    @Test func terminalWithoutControlIsUsedAndRestored() async throws {
        try await product.succeed("download", "-q", "-b", server.url("/a"))
        let script = "stty -g; setsid -w longhaul top; echo; stty -g; setsid -w longhaul cancel --all"
        let shell = try start(ProgramCall("/bin/bash", ["-c", script], environment: product.environment))
        try await shell.waitForOutput(containing: "> ↓ a ")
        shell.type("q")
        try await shell.waitForOutput(containing: "Cancel? [y/N]")
        shell.type("\n")
        #expect(try await shell.waitForEnd() == .exited(0))
        #expect(!shell.output.contains("1 transfer cancelled."))
        let modes = shell.output.split(whereSeparator: \.isNewline).filter { line in
            line.count { $0 == ":" } > 10 && line.allSatisfy { $0.isHexDigit || $0 == ":" }
        }
        #expect(modes.count == 2 && Set(modes).count == 1, "\(modes)")
    }

    @Test func aTerminalThatCannotMoveItsCursorGetsASentence() async throws {
        var call = product.call("longhaul", ["top"])
        call.environment["TERM"] = "dumb"
        let top = try start(call)
        #expect(try await top.waitForEnd() == .exited(2))
        #expect(top.output.contains("longhaul watch") && !top.output.contains("\u{1B}"))
    }
}
