import LonghaulCore
import TestSupport
import Testing

/// A user at a terminal who leaves.
@Suite(.onEachTransport) struct AttachedTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 6, length: 3_000_000)

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/a": Route(.file(content, etag: "\"v1\"").stalled(after: 1_000_000, by: latch))
        ])
    }

    private func startAtTerminal(_ arguments: String...) throws -> ChildProcess {
        var call = product.call("longhaul", arguments)
        call.terminal = (columns: 100, rows: 24)
        return try ChildProcess(call)
    }

    @Test func controlCKeepsTransferRunningAndShowsWatchCommand() async throws {
        let command = try startAtTerminal("download", server.url("/a"))
        try await command.waitForOutput(containing: "33%")
        command.type("\u{3}")
        #expect(try await command.waitForEnd() == .exited(130))
        let line = try #require(command.output.split(separator: "\n").last { $0.contains("longhaul watch ") })
        // A terminal also ends a line with a carriage return.
        let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
        let id = try #require(words.firstIndex(of: "watch").map { words[$0 + 1] })
        #expect(try await product.facts(id)["state"] == "running")
        latch.open()
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(server.requests.count == 1)
    }

    @Test func closingTheTerminalLeavesTheTransferRunning() async throws {
        let command = try startAtTerminal("download", server.url("/a"))
        try await command.waitForOutput(containing: "33%")
        command.signal(1)
        #expect(try await command.waitForEnd() == .exited(129))
        latch.open()
        try await product.succeed("watch")
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(server.requests.count == 1)
    }

    @Test func aDetachedDownloadIsNamedAndLeftToTheService() async throws {
        let id = try await product.succeed("download", "--detach", server.url("/a"))
        #expect(id.count == 36)
        latch.open()
        try await product.succeed("watch", id)
        #expect(try await product.facts(id)["state"] == "succeeded")
        #expect(try product.home.read("work/a") == content.bytes())
    }

    @Test func theFinishedPathIsAllThatGoesToStandardOutput() async throws {
        latch.open()
        let result = try await product.longhaul("download", "--quiet", server.url("/a"))
        #expect(result.output == product.home.path("work/a\n") && result.errorOutput.isEmpty)
    }

    @Test func watchStaysForTheOneThatIsLiveAmongManyThatHaveEnded() async throws {
        server.setRoute("/done/*", .status(200, body: "x"))
        try product.home.makeDirectory("work/many")
        let list = (0..<300).map { server.url("/done/\($0)\n") }.joined()
        try product.home.write(list.utf8, to: "work/list")
        try await product.succeed("download", "--quiet", "-d", "many", "-i", "list")
        try await product.succeed("download", "--detach", server.url("/a"))
        let watch = try product.start("watch", "--json")
        try await watch.waitForOutput(containing: "\n")
        latch.open()
        #expect(try await watch.waitForEnd() == .exited(0))
        #expect(watch.output.contains("\"succeeded\":1"))
    }

    @Test func aServiceThatDiesIsStartedAgainByTheCommandThatWatches() async throws {
        let command = try startAtTerminal("download", server.url("/a"))
        // A request alone does not prove that the command has its answer.
        try await command.waitForOutput(containing: "33%")
        try await product.killService()
        latch.open()
        #expect(try await command.waitForEnd() == .exited(0), "\(command.output)")
        #expect(try product.home.read("work/a") == content.bytes())
    }
}
