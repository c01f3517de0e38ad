import LonghaulCore
import TestSupport
import Testing

/// Uploads to a server with faults, and servers that start and stop.
@Suite(.onEachTransport) struct WrongIntakeTests {
    private let directory: TemporaryDirectory
    private let content = Content(seed: 2, length: 3 << 20)

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write(content, to: "a")
    }

    private func upload(to server: NastyServer, _ path: String = "/up") throws -> (code: Int32, output: String) {
        try curl(
            "-H", "Expect:", "-o", "/dev/null", "-w", "%{http_code}", "-T", directory.path("a"), server.url(path))
    }

    @Test func aBodyTakenWholeCanGoUnanswered() throws {
        let reply = Reply.status(201)
        let server = try NastyServer(routes: [
            "/closes": Route(reply.ending(.closesUnanswered)), "/resets": Route(reply.ending(.resetsUnanswered)),
        ])
        #expect(try upload(to: server, "/closes").code == 52)
        #expect(try upload(to: server, "/resets").code == 56)
        #expect(server.requests.map(\.isBodyComplete) == [true, true])
        #expect(server.requests.map(\.bodyChecksum) == [content.checksum, content.checksum])
    }

    @Test func anAnswerCanComeBeforeTheBodyAndThenAReset() throws {
        let reply = Reply.status(413).intake(.answer(after: 1_000)).ending(.resets)
        let server = try NastyServer(routes: ["/up": Route(reply)])
        _ = try upload(to: server)
        #expect(server.requests[0].status == 413)
        #expect(server.requests[0].bodyLength == 1_000)
        #expect(!server.requests[0].isBodyComplete)
    }

    @Test func anEarlyAnswerCanBeSafeFromAReset() throws {
        let reply = Reply.status(413).intake(.answer(after: 1_000)).ending(.closes)
        let server = try NastyServer(routes: ["/up": Route(reply)])
        #expect(try upload(to: server).output == "413")
    }

    @Test func withoutAContinueTheBodyStaysAway() throws {
        let server = try NastyServer(routes: ["/up": Route(Reply.status(417).intake(.none))])
        let result = try curl("-i", "-H", "Expect: 100-continue", "-T", directory.path("a"), server.url("/up"))
        #expect(result.output.contains("417"))
        #expect(server.requests[0].bodyLength == 0)
    }

    @Test func aChunkedBodyIsCountedWithoutItsFraming() throws {
        let server = try NastyServer(routes: ["/up": Route(.status(200))])
        _ = try curl("-H", "Transfer-Encoding: chunked", "-T", directory.path("a"), server.url("/up"))
        #expect(server.requests[0].bodyLength == content.length)
        #expect(server.requests[0].bodyChecksum == content.checksum)
    }

    @Test func stalledIntakeContinuesWhenLatchOpens() async throws {
        let latch = Latch()
        let server = try NastyServer(routes: ["/up": Route(Reply.status(200).intake(.stall(after: 1_000, latch)))])
        let client = try ChildProcess(
            ProgramCall("/usr/bin/curl", ["-s", "-H", "Expect:", "-T", directory.path("a"), server.url("/up")]))
        try await latch.waitForArrivals()
        #expect(server.requests[0].bodyLength == 1_000)
        latch.open()
        #expect(try await client.waitForEnd() == .exited(0))
        let log = try await server.waitForFinishedRequests(1)
        #expect(log[0].bodyChecksum == content.checksum)
    }

    @Test func idempotencyKeysAreCounted() throws {
        let server = try NastyServer(routes: ["/up": Route(.status(200))])
        for key in ["k1", "k1", "k2"] { _ = try curl("-H", "Idempotency-Key: \(key)", "-d", "x", server.url("/up")) }
        #expect(server.idempotencyKeys == ["k1": 2, "k2": 1])
    }

    @Test func aServerComesBackOnItsPort() throws {
        let first = try NastyServer(routes: ["/": Route(.status(200))])
        #expect(try curl(first.url("/")).code == 0)
        first.stop()
        #expect(try curl(first.url("/")).code == 7)
        let second = try NastyServer(routes: ["/": Route(.status(200))], port: first.port)
        #expect(try curl(second.url("/")).code == 0)
    }

    @Test func aDroppedConnectionBreaksWhatIsUnderWay() throws {
        let latch = Latch()
        let server = try NastyServer(routes: ["/a": Route(.file(content).stalled(after: 10, by: latch))])
        let client = try ChildProcess(ProgramCall("/usr/bin/curl", ["-s", "-o", "/dev/null", server.url("/a")]))
        try latch.waitForArrivals()
        server.dropConnections()
        #expect(try client.waitForEnd() == .exited(18))
    }
}
