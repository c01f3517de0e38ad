import LonghaulCore
import TestSupport
import Testing

/// The same command again, as people resume with curl, wget and aria2.
@Suite(.onEachTransport) struct JoiningTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 6, length: 3_000_000)

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/a": Route(.file(content, etag: "\"v1\"").stalled(after: 1_000_000, by: latch)),
            "/in": Route(.status(201).held(by: latch)),
        ])
    }

    @Test func aDownloadThatIsUnderWayIsJoined() async throws {
        let first = try await product.succeed("download", "-b", "-q", server.url("/a"))
        let again = try await product.longhaul("download", "-b", server.url("/a"), "--limit-rate", "9M")
        #expect(again.exitStatus == 0 && again.output == first + "\n")
        #expect(again.errorOutput.contains("\(first.suffix(8)) is the same transfer and is active already"))
        let watching = try product.start("download", "--json", server.url("/a"))
        try await watching.waitForOutput(containing: "\"id\":\"\(first)\",\"key\":null,\"isNew\":false")
        latch.open()
        #expect(try await watching.waitForEnd() == .exited(0))
        #expect(watching.output.contains("\"succeeded\":1"))
        #expect(try await product.workNames == ["a"] && server.requests.count == 1)
    }

    @Test func anotherProxyIsAnotherTransfer() async throws {
        let nowhere = "http://127.0.0.1:\(try NastyServer.closedPort())"
        let first = try await product.succeed("download", "-b", "-q", "-o", "a", "-x", nowhere, server.url("/a"))
        latch.open()
        try await product.succeed("download", "-o", "a", server.url("/a"))
        #expect(try product.home.read("work/a") == content.bytes())
        try await product.succeed("cancel", first)
    }

    @Test func controlCAndTheSameCommandShowTheSameTransfer() async throws {
        var call = product.call("longhaul", ["download", server.url("/a")])
        call.terminal = (columns: 100, rows: 24)
        let command = try ChildProcess(call)
        try await command.waitForOutput(containing: "33%")
        command.type("\u{3}")
        #expect(try await command.waitForEnd() == .exited(130))
        let again = try ChildProcess(call)
        try await again.waitForOutput(containing: "--again starts another copy")
        latch.open()
        #expect(try await again.waitForEnd() == .exited(0))
        #expect(try await product.workNames == ["a"] && server.requests.count == 1)
    }

    @Test func equalDownloadResumesPausedTransfer() async throws {
        let first = try await product.succeed("download", "-b", "-q", server.url("/a"))
        try await product.wait(for: first, "a million bytes") { ($0.number("bytesDone") ?? 0) >= 1_000_000 }
        try await product.succeed("pause", first)
        try await product.wait(for: first, state: "paused")
        latch.open()
        try await product.succeed("download", "-q", server.url("/a"))
        #expect(try product.home.read("work/a") == content.bytes())
        #expect(try await product.list().count == 1)
    }

    @Test func againOptionDownloadsAnotherCopy() async throws {
        let first = try await product.succeed("download", "-b", "-q", server.url("/a"))
        let second = try await product.succeed("download", "-b", "-q", "--again", server.url("/a"))
        #expect(first != second)
        latch.open()
        try await product.succeed("watch", first, second)
        let third = try await product.succeed("download", "-b", "-q", server.url("/a"))
        #expect(![first, second].contains(third), "an ended transfer is not joined")
        try await product.succeed("watch", third)
        #expect(try await product.workNames == ["a", "a (1)", "a (2)"])
    }

    @Test func anUploadOfTheSameFileIsJoined() async throws {
        try product.home.write([1, 2, 3], to: "work/x")
        let first = try await product.succeed("upload", "-b", "-q", "x", server.url("/in"))
        #expect(try await product.succeed("upload", "-b", "-q", "x", server.url("/in")) == first)
        #expect(try await product.succeed("upload", "-b", "-q", "x", server.url("/in?other")) != first)
        latch.open()
        try await product.succeed("watch", first)
        #expect(server.requests.count { $0.query.isEmpty } == 1)
    }
}
