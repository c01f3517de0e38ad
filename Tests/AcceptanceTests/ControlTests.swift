import LonghaulCore
import TestSupport
import Testing

/// Each command that changes a transfer, from the command line to the wire.
@Suite(.onEachTransport) struct ControlTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 6, length: 3_000_000)

    init() throws {
        product = try Product()
        let reply = Reply.file(content, etag: "\"v1\"")
        server = try NastyServer(routes: ["/a": .inTurn(reply.stalled(after: 1_000_000, by: latch), reply)])
    }

    private func startedDownload() async throws -> String {
        let id = try await product.succeed("download", "--detach", server.url("/a"))
        try await product.wait(for: id, "a million bytes") { ($0.number("bytesDone") ?? 0) >= 1_000_000 }
        return id
    }

    @Test func pausedDownloadResumesAtItsOffset() async throws {
        let id = try await startedDownload()
        try await product.succeed("pause", id)
        try await product.wait(for: id, state: "paused")
        latch.open()
        try await product.succeed("resume", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/a") == content.bytes())
        // A few bytes are requested again, to compare them with the file.
        let first = server.requests.last?.range?.first
        #expect(first == 995_904)
    }

    @Test func aPausedDownloadStaysPausedWhenTheServiceIsKilled() async throws {
        let id = try await startedDownload()
        try await product.succeed("pause", id)
        try await product.wait(for: id, state: "paused")
        try await product.killService()
        #expect(try await product.facts(id)["state"] == "paused")
        #expect(server.requests.count == 1)
    }

    @Test func aCancelledDownloadLeavesNothing() async throws {
        let id = try await startedDownload()
        try await product.succeed("cancel", id)
        #expect(try await product.longhaul("watch", id).exitStatus == 1)
        #expect(try await product.facts(id)["state"] == "cancelled")
        #expect(try await product.workNames.isEmpty)
    }

    @Test func aFailedDownloadIsTriedAgain() async throws {
        server.setRoute("/b", .inTurn(.status(404), .file(content)))
        #expect(try await product.longhaul("download", server.url("/b")).exitStatus == 6)
        let id = try #require(try await product.list().first?["id"])
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/b") == content.bytes())
    }

    @Test func aRemovedTransferIsForgotten() async throws {
        server.setRoute("/b", .file(content))
        try await product.succeed("download", server.url("/b"))
        let id = try #require(try await product.list().first?["id"])
        try await product.succeed("remove", id)
        #expect(try await product.list("--all").isEmpty)
        #expect(try await product.longhaul("show", id).exitStatus == 13)
        #expect(try await product.workNames == ["b"])
    }

    @Test func aRunningTransferIsNotRemoved() async throws {
        let id = try await startedDownload()
        let result = try await product.longhaul("remove", id)
        #expect(result.exitStatus == 13 && result.errorOutput.contains("Cancel it first"))
    }

    @Test func historyListsEventsFromSubmissionToSuccess() async throws {
        let id = try await startedDownload()
        try await product.succeed("pause", id)
        latch.open()
        try await product.succeed("resume", id)
        try await product.succeed("watch", id)
        let events = try await product.succeed("history", id, "--json").split(separator: "\n").map {
            JSONText(String($0))["event"] ?? ""
        }
        #expect(events.first == "submitted" && events.last == "succeeded")
        #expect(events.contains("paused") && events.contains("resumed") && events.contains("started"))
    }
}
