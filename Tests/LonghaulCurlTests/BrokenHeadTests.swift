import LonghaulCore
import TestSupport
import Testing

/// Invalid or incomplete HTTP/1 response headers, written byte by byte.
@Suite(.tags(.libcurl), .onEachPath) struct BrokenHeadTests {
    private func outcome(_ raw: String, _ method: String = "GET") throws -> ExchangeOutcome {
        let world = try World(["/h": Route(.raw(raw))])
        return try world.exchange(method == "GET" ? world.download("/h") : world.request(method, "/h"))
    }

    /// libcurl accepts one of them, or the part that it can parse (RFC 9112, section 6.3, calls the response lost).
    @Test(arguments: [
        "Content-Length: 50\r\nContent-Length: 10", "Content-Length: 10\r\nContent-Length: 50",
        "Content-Length: 10, 50",
        "Content-Length: 0x10", "Content-Length: 10abc", "Content-Length: -1", "Content-Length: +10",
        "Content-Length: 99999999999999999999", "Content-Length: 1 0", "Content-Length: 10,", "Content-Length:",
    ])
    func aLengthThatIsNoneMakesTheResponseUnusable(fields: String) throws {
        let body = String(repeating: "x", count: 50)
        let outcome = try outcome("HTTP/1.1 200 OK\r\nETag: \"a\"\r\n\(fields)\r\n\r\n\(body)")
        #expect(outcome.failure?.code == .protocolViolation && outcome.head == nil, "\(outcome)")
        #expect(outcome.disposition == .none)
    }

    @Test func equalDuplicateContentLengthsAreAccepted() throws {
        let outcome = try outcome("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc")
        #expect(outcome.disposition == .written(length: 3, isComplete: true))
    }

    @Test(arguments: [("HEAD", "200 OK"), ("DELETE", "204 None")])
    func bodilessResponseIgnoresContentLength(method: String, status: String) throws {
        let outcome = try outcome("HTTP/1.1 \(status)\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", method)
        #expect(outcome.ending == .responded, "\(outcome)")
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nA: b\r\n", "HT"])
    func aHeadThatBreaksOffIsABrokenConnection(raw: String) throws {
        let outcome = try outcome(raw)
        #expect(outcome.failure?.code == .connectionLost && outcome.requestLeft, "\(outcome)")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1_000_000) + "\r\n\r\n",
        "HTTP/1.1 200 OK\r\n Folded: from nothing\r\nContent-Length: 0\r\n\r\n",
    ])
    func aHeadThatLibcurlRefusesIsTheServersFault(raw: String) throws {
        #expect(try outcome(raw).failure?.code == .protocolViolation)
    }

    @Test(arguments: [(407, FailureCode.credentialsRequired), (502, .proxyFailed)])
    func refusedTunnelReportsProxyStatus(status: Int, code: FailureCode) throws {
        let world = try World(["*": Route(.status(status))])
        var plan = world.request("GET", "/")
        plan.url = "https://127.0.0.1:1/x"
        plan.network.proxy = world.server.url("")
        let failure = try #require(try world.exchange(plan).failure)
        #expect(failure.code == code && failure.message.contains("\(status)"), "\(failure)")
        #expect(world.server.requests.map(\.method) == ["CONNECT"])
    }
}
