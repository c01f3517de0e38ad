import LonghaulCore
import TestSupport
import Testing

@Suite(.onEachTransport) struct NastyServerTests {
    private let content = Content(seed: 7, length: 300_000)
    private let status = ["-o", "/dev/null", "-w", "%{http_code}/%{size_download}"]

    @Test func aWholeFileArrivesAsItIs() throws {
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"one\""))])
        let directory = try TemporaryDirectory()
        #expect(try curl("-o", directory.path("a"), server.url("/a")).code == 0)
        #expect(try directory.read("a") == content.bytes())
        let request = try #require(server.requests.first)
        #expect(request.status == 200)
        #expect(request.responseBytes == content.length)
    }

    @Test func aRangeIsCutFromTheRightPlace() throws {
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"one\""))])
        let directory = try TemporaryDirectory()
        let result = try curl("-D", "-", "-r", "1001-2000", "-o", directory.path("a"), server.url("/a"))
        #expect(result.output.contains("206 Partial Content"))
        #expect(result.output.contains("Content-Range: bytes 1001-2000/300000"))
        #expect(try directory.read("a") == content.bytes(1001..<2001))
    }

    @Test(arguments: [
        ("If-Range: \"one\"", "206/10"), ("If-Range: \"two\"", "200/300000"), ("If-Match: \"two\"", "412/0"),
        ("If-None-Match: \"one\"", "304/0"), ("If-Unmodified-Since: Mon, 01 Jan 2024 00:00:00 GMT", "412/0"),
        ("If-Range: Thu, 01 Feb 2024 00:00:00 GMT", "206/10"), ("X: y", "206/10"),
    ])
    func conditionsAreHonoured(header: String, expected: String) throws {
        let date = try #require(HTTPDate.instant("Thu, 01 Feb 2024 00:00:00 GMT"))
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"one\"", lastModified: date))])
        let result = try curl(
            "-r", "0-9", "-H", header, "-o", "/dev/null", "-w", "%{http_code}/%{size_download}", server.url("/a"))
        #expect(result.output == expected)
    }

    @Test func aRangeBehindTheEndIs416WithTheTotal() throws {
        let server = try NastyServer(routes: ["/a": Route(.file(content))])
        let result = try curl("-D", "-", "-r", "300000-", server.url("/a"))
        #expect(result.output.contains("416 Range Not Satisfiable"))
        #expect(result.output.contains("Content-Range: bytes */300000"))
    }

    @Test func aCutHappensTheFirstTimesOnly() throws {
        let whole = Reply.file(content)
        let server = try NastyServer(routes: ["/a": .first(2, whole.cut(after: 1_000), then: whole)])
        let codes = try (0..<3).map { _ in try curl("-o", "/dev/null", server.url("/a")).code }
        #expect(codes == [18, 18, 0])
        #expect(server.requests.map(\.responseBytes) == [1_000, 1_000, 300_000])
    }

    @Test func aResetIsSeenAsOne() throws {
        let server = try NastyServer(routes: ["/a": Route(.file(content).reset(after: 1_000))])
        let result = try curl("-o", "/dev/null", "-w", "%{size_download}", server.url("/a"))
        #expect(result.code == 56)
        #expect(result.output == "1000")
    }

    @Test func stalledBodyContinuesWhenLatchOpens() throws {
        let latch = Latch()
        let server = try NastyServer(routes: ["/a": Route(.file(content).stalled(after: 1_000, by: latch))])
        let client = try ChildProcess(ProgramCall("/usr/bin/curl", ["-s", "-o", "/dev/null", server.url("/a")]))
        try latch.waitForArrivals()
        #expect(client.isRunning)
        #expect(server.requests[0].responseBytes == 1_000)
        latch.open()
        #expect(try client.waitForEnd() == .exited(0))
    }

    @Test func stoppingEndsAClientThatIsNeverAnswered() throws {
        let arrived = Latch()
        let server = try NastyServer(routes: ["/a": Route(.silence(arrived))])
        let client = try ChildProcess(ProgramCall("/usr/bin/curl", ["-s", server.url("/a")]))
        try arrived.waitForArrivals()
        server.stop()
        #expect(try client.waitForEnd() == .exited(52))
        #expect(server.requests[0].status == nil)
    }

    @Test(arguments: [
        (Reply.Framing.contentLength, Int32(0)), (.contentLengthOff(by: 5), 18), (.contentLengthOff(by: -5), 0),
        (.chunked, 0), (.chunkedWithoutEnd, 18), (.untilClose, 0),
    ])
    func lengthsCanLie(framing: Reply.Framing, code: Int32) throws {
        let server = try NastyServer(routes: ["/a": Route(.file(content).framed(framing))])
        #expect(try curl("-o", "/dev/null", server.url("/a")).code == code)
    }

    @Test func anUploadIsCountedAndSummed() throws {
        let server = try NastyServer(routes: ["/up": Route(.status(201))], keepingBodies: 100)
        let directory = try TemporaryDirectory()
        try directory.write(content.bytes(), to: "a")
        #expect(try curl("-T", directory.path("a"), server.url("/up")).code == 0)
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.bodyLength == content.length)
        #expect(request.bodyChecksum == content.checksum)
        #expect(request.body == content.bytes(0..<100))
    }

    @Test func anUploadIsCutAfterItsBytes() throws {
        let server = try NastyServer(routes: ["/up": Route(Reply.status(201).intake(.cut(after: 1_000)))])
        let directory = try TemporaryDirectory()
        try directory.write(content.bytes(), to: "a")
        let result = try curl("-H", "Expect:", "-T", directory.path("a"), server.url("/up"))
        #expect([52, 55, 56].contains(result.code))
        #expect(server.requests[0].bodyLength == 1_000)
        #expect(server.requests[0].status == nil)
    }

    @Test func interimHeadsComeBeforeTheFinalOne() throws {
        let reply = Reply.status(201).interim(104, headers: [HeaderField("Location", "/x")])
            .interim(102, moment: .beforeAnswer)
        let server = try NastyServer(routes: ["/up": Route(reply)])
        let result = try curl("-D", "-", "-d", "hello", server.url("/up"))
        let statuses = result.output.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/") }.map {
            $0.split(separator: " ")[1]
        }
        #expect(statuses == ["104", "102", "201"])
    }

    @Test func redirectsAndSharedConnectionsAreSeen() throws {
        let server = try NastyServer(routes: ["/a": Route(.redirect(307, to: "/b")), "/b": Route(.status(200))])
        #expect(try curl("-L", server.url("/a")).code == 0)
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        #expect(server.connections == 1)
    }
}
