import LonghaulCore
import TestSupport
import Testing

/// Options that decide when a transfer runs.
@Suite(.onEachTransport) struct QueueOptionTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer(routes: ["/*": Route(.status(200, body: "x").held(by: latch))])
    }

    private func submit(_ path: String, _ options: String...) async throws -> String {
        let result = try await product.call("longhaul", ["download", "--detach", server.url(path)] + options).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        return String(result.output.prefix(36))
    }

    @Test func takenKeyJoinsReplacesOrIsRefused() async throws {
        let first = try await submit("/a", "--key", "film")
        #expect(try await submit("/a", "--key", "film") == first)
        #expect(try await submit("/a", "--key", "film", "--if-key-exists", "keep") == first)
        let other = try await product.call("longhaul", ["download", "--detach", server.url("/b"), "--key", "film"])
            .run()
        #expect(other.exitStatus == 13 && other.errorOutput.contains("differs in the URL"), "\(other.errorOutput)")
        let second = try await submit("/c", "--key", "film", "--if-key-exists", "replace")
        try await product.wait(for: first, state: "cancelled")
        #expect(first != second)
        #expect(try await product.facts(second)["state"] == "running")
        try await server.waitForRequests(2)
        #expect(server.requests(to: "/b").isEmpty)
    }

    @Test func transferWaitsForStartTime() async throws {
        latch.open()
        let late = try await submit("/late", "--not-before", "+1h")
        try await product.succeed("download", server.url("/now"))
        let facts = try await product.facts(late)
        #expect(facts["state"] == "waiting" && facts["reason"] == "notBefore" && facts["until"] != nil)
        let soon = try await submit("/soon", "--not-before", "+1s")
        try await product.succeed("watch", soon)
        #expect(server.requests.map(\.path) == ["/now", "/soon"])
    }

    @Test func aTimeLimitEndsATransfer() async throws {
        let result = try await product.longhaul("download", "--max-time", "1", server.url("/a"))
        #expect(result.exitStatus == 11 && result.errorOutput.contains("time limit"))
        #expect(try await product.workNames.isEmpty)
    }

    @Test func aGroupRunsNoMoreThanItsLimitAtOnce() async throws {
        try await product.succeed("limits", "--group", "films=1")
        let first = try await submit("/1", "--group", "films")
        let second = try await submit("/2", "--group", "films")
        let other = try await submit("/3")
        try await server.waitForRequests(2)
        try await product.wait(for: first, state: "running")
        try await product.wait(for: other, state: "running")
        let facts = try await product.facts(second)
        #expect(facts["state"] == "waiting" && facts["reason"] == "turn" && facts["turnLimit"] == "group")
        #expect(Set(server.requests.map(\.path)) == ["/1", "/3"])
        latch.open()
        try await product.succeed("watch")
        #expect(server.requests.last?.path == "/2")
    }

    @Test func theHighestPriorityGoesFirst() async throws {
        try await product.succeed("limits", "--total", "1")
        _ = try await submit("/first")
        try await server.waitForRequests(1)
        for (path, priority) in [("/low", "-5"), ("/usual", "0"), ("/high", "7"), ("/usual2", "0")] {
            _ = try await submit(path, "--priority", priority)
        }
        latch.open()
        try await product.succeed("watch")
        #expect(server.requests.map(\.path) == ["/first", "/high", "/usual", "/usual2", "/low"])
    }
}
