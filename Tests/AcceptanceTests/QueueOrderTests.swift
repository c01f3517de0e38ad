import LonghaulCore
import TestSupport
import Testing

/// Commands that change when a transfer starts.
@Suite(.onEachTransport) struct QueueOrderTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/*": Route(.status(200, body: "x").held(by: latch)), "/now": Route(.status(200, body: "small")),
        ])
    }

    @Test func prioritiesAreChangedWhileTransfersWait() async throws {
        try await product.succeed("limits", "--total", "1")
        var ids: [String] = []
        for path in ["/1", "/2", "/3", "/4"] {
            ids.append(try await product.succeed("download", "-q", "-b", server.url(path)))
            if path == "/1" { try await server.waitForRequests(1) }
        }
        try await product.succeed("set", ids[1], "--priority", "-5")
        try await product.succeed("set", ids[3], "--priority", "first")
        #expect(try await product.facts(ids[3]).number("priority") == 1)
        // Changes survive the service.
        try await product.killService()
        try await product.succeed("list")
        latch.open()
        try await product.succeed("watch")
        let paths = server.requests.map(\.path).filter { $0 != "/1" }
        #expect(paths == ["/4", "/3", "/2"])
    }

    /// As many large transfers as a host may run; a small urgent one does not wait for their end.
    @Test func urgentTransferOvertakesFullHost() async throws {
        let large = (1...6).map { server.url("/\($0)") }
        try await product.succeed("download", "-q", "-b", large[0], large[1], large[2], large[3], large[4], large[5])
        try await server.waitForRequests(6)
        try await product.succeed("download", "-q", "--priority", "100", server.url("/now"))
        #expect(try product.home.read("work/now") == Array("small".utf8))
        latch.open()
        try await product.succeed("watch")
    }

    /// No user waits for detached transfers: they start one overflow turn later, before any other transfer has ended.
    @Test func smallDetachedTransferStartsBehindLargeOnes() async throws {
        let large = (1...6).map { server.url("/\($0)") }
        try await product.succeed("download", "-q", "-b", large[0], large[1], large[2], large[3], large[4], large[5])
        try await server.waitForRequests(6)
        let small = try await product.succeed("download", "-q", "-b", server.url("/now"))
        // On a busy machine, the overflow turn comes before the answer.
        let facts = try await product.facts(small)
        #expect(facts["turnLimit"] == "host" || facts["startedAt"] != nil, "\(facts)")
        try await product.succeed("watch", small)
        #expect(try product.home.read("work/now") == Array("small".utf8))
        #expect(try await product.list("--state", "running").count == 6)
        latch.open()
        try await product.succeed("watch")
        #expect(server.requests.count == 7, "no transfer was stopped for it")
    }

    @Test func allSessionsShareATotal() async throws {
        try await product.succeed("limits", "--all-sessions", "--total", "2")
        #expect(try await product.succeed("limits").contains(/All sessions together:\nin total +2/))
        try await product.succeed("download", "-q", "-b", server.url("/1"), server.url("/2"), server.url("/3"))
        try await server.waitForRequests(2)
        try await product.succeed("download", "-q", "-b", "--session", "other", server.url("/now"))
        #expect(try await product.list("--session", "other").map { $0["turnLimit"] } == ["total"])
        latch.open()
        try await product.succeed("watch", "--session", "other")
        try await product.succeed("watch")
        let bad = try await product.longhaul("limits", "--all-sessions", "--total", "0")
        #expect(bad.exitStatus == 2)
    }

    @Test func queuedTransferCanBeChanged() async throws {
        let id = try await product.succeed("download", "-q", "-b", "--not-before", "+1h", server.url("/now"))
        try await product.succeed(
            "set", id, "--priority", "first", "--retry", "3", "-m", "2h", "--give-up-after", "10m", "--limit-rate",
            "1M",
            "-d", "elsewhere", "-o", "other", "--to-group", "later")
        let facts = try await product.facts(id)
        #expect(facts.number("rateLimit") == 1 << 20 && facts["reason"] == "notBefore")
        #expect(facts["path"] == product.home.path("work/elsewhere/other"))
        // Changes survive the service.
        try await product.killService()
        #expect(try await product.list("--group", "later").map { $0["id"] } == [id])
        try await product.succeed("set", id, "--not-before", "now")
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/elsewhere/other") == Array("small".utf8))
        let late = try await product.longhaul("set", id, "--retry", "1")
        #expect(late.exitStatus == 13 && late.errorOutput.contains("ended"), "\(late.errorOutput)")
    }

    @Test(arguments: ["retry", "anyway"]) func commandStartsScheduledTransferNow(command: String) async throws {
        latch.open()
        let id = try await product.succeed("download", "-q", "-b", "--not-before", "+1h", server.url("/a"))
        #expect(try await product.facts(id)["reason"] == "notBefore")
        let result = try await product.longhaul(command, id)
        #expect(result.exitStatus == 0 && !result.errorOutput.contains("start time"), "\(result.errorOutput)")
        try await product.succeed("watch", id)
        #expect(server.requests.map(\.path) == ["/a"])
    }

    @Test func retryRefusesMeteredTransferAndSuggestsAnyway() async throws {
        try await product.succeed("conditions", "set", "metered", "yes")
        let id = try await product.succeed("download", "-q", "-b", "--no-metered", server.url("/a"))
        try await product.wait(for: id, "metered") { $0["reason"] == "metered" }
        let refused = try await product.longhaul("retry", id)
        #expect(refused.exitStatus == 13 && refused.errorOutput.contains("longhaul anyway \(id.suffix(8))"))
        latch.open()
        try await product.succeed("anyway", id)
        try await product.succeed("watch", id)
    }

    @Test func aRefusalIsAnsweredWithAName() async throws {
        let basic = "Basic " + Base64.encode("ada:secret".utf8)
        server.setRoute(
            "/closed",
            .decided { request, _ in
                request.header("Authorization") == basic && request.header("X-Keep") == "it"
                    ? .status(200, body: "y") : .status(401)
            })
        let failed = try await product.longhaul("download", "-q", "-H", "X-Keep: it", server.url("/closed"))
        let id = try #require(try await product.list("--state", "failed").first?["id"])
        #expect(failed.exitStatus == 8 && failed.errorOutput.contains("(longhaul retry \(id.suffix(8)) -u USER)"))
        #expect(failed.errorOutput.contains("requires a user name and a password"))
        try await product.succeed("retry", id, "-u", "ada:secret")
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/closed") == Array("y".utf8))
    }
}
