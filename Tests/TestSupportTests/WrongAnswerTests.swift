import LonghaulCore
import TestSupport
import Testing

/// Downloads from a server with faults.
@Suite(.onEachTransport) struct WrongAnswerTests {
    private let content = Content(seed: 11, length: 10_000)

    private func ranged(_ change: (inout RangeManners) -> Void) throws -> (head: String, body: [UInt8]) {
        var manners = RangeManners()
        change(&manners)
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"one\"", ranges: manners))])
        let directory = try TemporaryDirectory()
        let head = try curl(
            "-D", "-", "-H", "If-Range: \"two\"", "-H", "If-Match: \"two\"", "-r", "100-199", "-o", directory.path("a"),
            server.url("/a")
        ).output
        return (head, directory.exists("a") ? try directory.read("a") : [])
    }

    @Test(arguments: [
        (ContentRangeForm.right, "Content-Range: bytes 100-199/10000\r\n"),
        (.shifted(by: 5), "Content-Range: bytes 105-204/10000\r\n"),
        (.totalShifted(by: -1), "Content-Range: bytes 100-199/9999\r\n"),
        (.unknownTotal, "Content-Range: bytes 100-199/*\r\n"), (.text("bytes x"), "Content-Range: bytes x\r\n"),
    ])
    func aPartCanBeMisnamed(form: ContentRangeForm, field: String) throws {
        let (head, body) = try ranged { manners in
            manners.contentRange = form
            manners.honoursIfRange = false
            manners.honoursPreconditions = false
        }
        #expect(head.contains(field))
        #expect(body == content.bytes(100..<200))
    }

    @Test func aPartCanComeWithoutItsNameOrFromElsewhere() throws {
        let (head, body) = try ranged { manners in
            manners.contentRange = .absent
            manners.bodyShift = 3
            manners.longestRange = 50
            manners.honoursIfRange = false
            manners.honoursPreconditions = false
        }
        #expect(head.contains("206 Partial Content") && !head.contains("Content-Range"))
        #expect(body == content.bytes(103..<153))
    }

    @Test func aPartCanBeWrappedAsMultipart() throws {
        let (head, body) = try ranged { manners in
            manners.isMultipart = true
            manners.honoursIfRange = false
            manners.honoursPreconditions = false
        }
        #expect(head.contains("Content-Type: multipart/byteranges; boundary=nasty"))
        #expect(String(decoding: body.prefix(40), as: UTF8.self).hasPrefix("--nasty\r\nContent-Type: application/"))
        #expect(body.count > 100 && body.suffix(13).elementsEqual("\r\n--nasty--\r\n".utf8))
    }

    @Test func rangesCanBeIgnored() throws {
        let (head, body) = try ranged { manners in
            manners.honoursRange = false
            manners.honoursPreconditions = false
        }
        #expect(head.contains("200 OK") && !head.contains("Accept-Ranges"))
        #expect(body == content.bytes())
    }

    @Test func aWeakTagNeverMatchesARange() throws {
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "W/\"one\""))])
        let result = try curl(
            "-r", "1-2", "-H", "If-Range: W/\"one\"", "-o", "/dev/null", "-w", "%{http_code}", server.url("/a"))
        #expect(result.output == "200")
    }

    @Test func theNextVersionComesWithItsOwnValidators() throws {
        let later = Content(seed: 12, length: 20_000)
        let server = try NastyServer(routes: [
            "/a": .inTurn(.file(content, etag: "\"one\""), .file(later, etag: "\"two\""))
        ])
        #expect(try curl("-I", server.url("/a")).output.contains("ETag: \"one\"\r\n"))
        let second = try curl("-I", server.url("/a")).output
        #expect(second.contains("ETag: \"two\"\r\n") && second.contains("Content-Length: 20000\r\n"))
    }

    @Test func headsCanBeOddOrBroken() throws {
        let odd = Reply.status(200, body: "x").with { reply in
            reply.reason = ""
            reply.date = .absent
        }
        let server = try NastyServer(routes: ["/odd": Route(odd), "/broken": Route(.raw("HTTP/1.1 2"))])
        #expect(try curl("-i", server.url("/odd")).output == "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx")
        #expect(try curl(server.url("/broken")).code != 0)
    }

    @Test func digestsAreThoseOfTheContent() throws {
        let directory = try TemporaryDirectory()
        try directory.write(content, to: "a")
        let call = "openssl dgst -sha256 -binary \(directory.path("a")) | base64"
        #expect(try ProgramCall("/bin/sh", ["-c", call]).run().output == content.sha256Base64 + "\n")
        #expect(content.md5Base64.count == 24)
        #expect(Checksum(of: content.bytes()) == content.checksum)
    }

    @Test func theEndOfGigabytesComesAtOnce() throws {
        let huge = Content(seed: 1, length: 5 << 30)
        let server = try NastyServer(routes: ["/a": Route(.file(huge))])
        let directory = try TemporaryDirectory()
        #expect(try curl("-r", "-10", "-o", directory.path("a"), server.url("/a")).code == 0)
        #expect(try directory.read("a") == huge.bytes(huge.length - 10..<huge.length))
    }
}
