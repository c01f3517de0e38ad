import LonghaulCore
import TestSupport
import Testing

@Suite(.tags(.libcurl), .onEachPath) struct ResponseHeadTests {
    /// On HTTP/2, libcurl ends a connection with invalid frames without reporting why.
    private static var violations: [FailureCode?] {
        Transport.current == .http2 ? [.protocolViolation, .connectionLost] : [.protocolViolation]
    }

    @Test func aHeadRequestNeverWaitsForABody() throws {
        let lie = Reply.status(200, headers: [HeaderField("Upload-Offset", "5")])
            .framed(.contentLengthOff(by: 123_456))
        let world = try World(["/h": Route(lie)])
        let outcome = try world.exchange(world.request("HEAD", "/h"))
        #expect(outcome.ending == .responded && outcome.head?.headers.single("Upload-Offset") == "5")
        #expect(world.server.requests[0].method == "HEAD")
    }

    @Test(arguments: [100, 102, 103, 104, 199])
    func provisionalResponsesAreSkipped(status: Int) throws {
        let reply = Reply.status(200, headers: [HeaderField("X-Final", "yes")], body: "done")
            .interim(status, headers: [HeaderField("X-Early", "1")]).interim(status)
        let world = try World(["/h": Route(reply)])
        let outcome = try world.exchange(world.request("GET", "/h"))
        #expect(outcome.head?.status == 200 && outcome.body == Array("done".utf8))
        #expect(outcome.head?.headers.single("X-Early") == nil && outcome.head?.headers.single("X-Final") == "yes")
    }

    @Test func fieldsAreReadAsTheyWereMeant() throws {
        let raw =
            "HTTP/1.1 460 \r\nA:  b \t\r\nEmpty:\r\nUtf: gr\u{FC}n\r\nFolded: one\r\n two\r\nContent-Length: 0\r\n\r\n"
        let world = try World(["/h": Route(.raw(raw))])
        let head = try #require(try world.exchange(world.request("GET", "/h")).head)
        #expect(head.status == 460 && head.headers.single("a") == "b" && head.headers.single("empty") == "")
        #expect(head.headers.single("utf") == "gr\u{FC}n" && head.headers.single("folded") == "one two")
    }

    @Test func bytesThatAreNotUTF8AreReadAsLatin1() throws {
        var reply = Reply()
        reply.raw = Array("HTTP/1.1 200 OK\r\nName: gr".utf8) + [0xFC] + Array("n\r\nContent-Length: 0\r\n\r\n".utf8)
        let world = try World(["/h": Route(reply)])
        #expect(try world.exchange(world.request("GET", "/h")).head?.headers.single("name") == "gr\u{FC}n")
    }

    @Test func endlessHeadersAreAViolation() throws {
        let field = HeaderField("X-Pad", String(repeating: "x", count: 8_000))
        let world = try World(["/h": Route(.status(200, headers: Array(repeating: field, count: 40)))])
        let code = try world.exchange(world.request("GET", "/h")).failure?.code
        #expect(Self.violations.contains(code), "\(String(describing: code))")
    }

    @Test func nonHTTPResponseIsRejected() throws {
        let world = try World(["/h": Route(.raw("SSH-2.0-nonsense\r\n"))])
        let code = try world.exchange(world.request("GET", "/h")).failure?.code
        #expect(Self.violations.contains(code), "\(String(describing: code))")
    }

    @Test func trailersAreNotFields() throws {
        let raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Late: 1\r\n\r\n"
        let world = try World(["/h": Route(.raw(raw))])
        let outcome = try world.exchange(world.request("GET", "/h"))
        #expect(outcome.body == Array("hi".utf8) && outcome.head?.headers.single("X-Late") == nil)
    }
}
