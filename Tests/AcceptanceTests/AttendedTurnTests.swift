import LonghaulCore
import TestSupport
import Testing

/// Transfers that a user waits for do not wait for others.
@Suite(.onEachTransport) struct AttendedTurnTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/*": Route(.status(200, body: "x").held(by: latch)), "/small": Route(.status(200, body: "twelve bytes")),
            "/in": Route(.status(201)),
        ])
        try product.home.write(Array("twelve bytes".utf8), to: "work/note")
    }

    private func slow(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { server.url("/slow/\($0)") } }

    /// A download and an upload of twelve bytes, attached, which end before any other transfer.
    private func moveTwelveBytes() async throws {
        try await product.succeed("download", "-q", server.url("/small"))
        try await product.succeed("upload", "-q", "note", server.url("/in"))
        #expect(try product.home.read("work/small") == Array("twelve bytes".utf8))
        #expect(server.requests(to: "/in").count == 1)
        #expect(try await product.list("--state", "done").count == 2)
    }

    private func finish() async throws {
        latch.open()
        try await product.succeed("watch")
    }

    @Test func attendedTransfersPassTwelveDetachedOnes() async throws {
        let result = try await product.call("longhaul", ["download", "-q", "-b"] + slow(1...12)).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        try await server.waitForRequests(6)
        try await moveTwelveBytes()
        try await finish()
    }

    @Test func attendedTransfersPassTwelveAttendedOnes() async throws {
        let commands = try slow(1...12).map { try product.start("download", "-q", $0) }
        try await server.waitForRequests(12)
        try await moveTwelveBytes()
        try await finish()
        for command in commands { #expect(try await command.waitForEnd() == .exited(0)) }
    }

    /// All sixteen slots are taken, over three hosts, and all six of the host.
    @Test func attendedTransfersPassFullDefaultLimits() async throws {
        let others = try (0..<2).map { _ in
            try NastyServer(routes: ["/*": Route(.status(200, body: "x").held(by: latch))])
        }
        let urls =
            slow(1...6) + (1...6).map { others[0].url("/a\($0)") } + (1...4).map { others[1].url("/b\($0)") }
        let result = try await product.call("longhaul", ["download", "-q", "-b", "--group", "films"] + urls).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        for (server, count) in zip([server] + others, [6, 6, 4]) { try await server.waitForRequests(count) }
        try await moveTwelveBytes()
        try await finish()
    }

    /// The first four of a list are attended, the others are queued.
    @Test func longListQueues() async throws {
        let slow = try await product.call("longhaul", ["download", "-q", "-b"] + slow(1...6)).run()
        #expect(slow.exitStatus == 0)
        try await server.waitForRequests(6)
        let list = try product.start("download", "-q", server.url("/list/[1-9]"), "-o", "list-#1")
        try await server.waitForRequests(10)
        let limits = try await product.list("--state", "waiting").map { $0["turnLimit"] }
        #expect(limits == Array(repeating: "host", count: 5))
        try await finish()
        #expect(try await list.waitForEnd() == .exited(0), "\(list.errorOutput)")
    }

    @Test(arguments: [("--per-host", "limit of 2 per host 127.0.0.1"), ("--total", "limit of 2 in total")])
    func setLimitHoldsUntilStartedByName(limit: (option: String, words: String)) async throws {
        try await product.succeed("limits", limit.option, "2")
        let slow = try await product.call("longhaul", ["download", "-q", "-b"] + slow(1...2)).run()
        #expect(slow.exitStatus == 0)
        try await server.waitForRequests(2)
        let attended = try product.start("download", server.url("/small"))
        let text = "waiting: \(limit.words); start now with: longhaul retry "
        try await attended.waitForErrorOutput(containing: text)
        let id = try #require(try await product.list("--state", "waiting").first?["id"])
        #expect(try await product.succeed("show", id).contains(text + id.suffix(8)))
        #expect(try await product.succeed("list").contains(text))
        let advice = try await product.succeed("doctor", id)
        #expect(advice.contains(limit.words) && advice.contains("To start it now"), "\(advice)")
        try await product.succeed("retry", "-q", id)
        #expect(try await attended.waitForEnd() == .exited(0))
        #expect(try product.home.read("work/small") == Array("twelve bytes".utf8))
        try await finish()
    }

    @Test func setGroupLimitHolds() async throws {
        try await product.succeed("limits", "--group", "films=1")
        try await product.succeed("download", "-q", "-b", "--group", "films", server.url("/slow"))
        try await server.waitForRequests(1)
        let attended = try product.start("download", "--group", "films", server.url("/small"))
        let text = "waiting: limit of 1 for the group films; start now with: longhaul retry "
        try await attended.waitForErrorOutput(containing: text)
        try await finish()
        #expect(try await attended.waitForEnd() == .exited(0))
    }
}
