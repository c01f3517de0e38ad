import LonghaulCore
import TestSupport
import Testing

/// Wrong responses of servers and networks to a request for the rest of a file.
@Suite(.onEachTransport) struct PartialFileTests {
    private static let content = Content(seed: 431, length: (6 << 20) + 5)

    private func part(_ tag: String, longest: Int64? = nil) -> Reply {
        var ranges = RangeManners()
        ranges.longestRange = longest
        return .file(Self.content, etag: tag, ranges: ranges)
    }

    /// Each connection brings 2 MiB, with two entity tags in turn.
    @Test(arguments: ["1", "4"]) func aDigestJoinsWhatDifferentTagsDivide(split: String) async throws {
        let product = try Product()
        let server = try NastyServer(routes: [
            "/f": .decided { _, visit in part(visit % 2 == 0 ? "\"abc\"" : "\"def\"").cut(after: 2 << 20) }
        ])
        let digest = try digest(of: Self.content, .sha256).hexText
        try await product.succeed("download", "--split", split, "--sha256", digest, "-o", "f", server.url("/f"))
        #expect(try product.home.read("work/f") == Self.content.bytes())
        let received = server.requests.reduce(0) { $0 + $1.responseBytes }
        #expect(received <= Self.content.length + 4 << 20, "\(server.summary)")
    }

    @Test func aLoginPageLeavesThePartialFile() async throws {
        let product = try Product()
        let page = Reply.status(200, headers: [HeaderField("Content-Type", "text/html")], body: "<p>Log in")
        let server = try NastyServer(routes: [
            "/f": .inTurn(part("\"v1\"").cut(after: 3 << 20), page, page, part("\"v1\""))
        ])
        try await product.succeed("download", "--split", "1", "-o", "f", server.url("/f"))
        #expect(try product.home.read("work/f") == Self.content.bytes())
        #expect((server.requests.last?.range?.first ?? 0) > 2 << 20, "\(server.summary)")
    }

    @Test func aLoginPageThatStaysIsAFailure() async throws {
        let product = try Product()
        let page = Reply.status(200, headers: [HeaderField("Content-Type", "text/html")], body: "<p>Log in")
        let server = try NastyServer(routes: ["/f": .inTurn(part("\"v1\"").cut(after: 3 << 20), page)])
        let result = try await product.call(
            "longhaul", ["download", "--retry", "1", "--split", "1", "-o", "f", server.url("/f")]
        ).run()
        #expect(result.exitStatus != 0 && result.errorOutput.contains("text/html, 9 bytes"), "\(result.errorOutput)")
        #expect(!product.home.exists("work/f"))
    }

    /// A cache keeps an old file until a request asks it to revalidate.
    @Test func aCacheIsBypassedAfterAWrongDigest() async throws {
        let product = try Product()
        let old = Content(seed: 432, length: 1_000)
        let new = Content(seed: 433, length: 1_000)
        let server = try NastyServer(routes: [
            "/f": .decided { request, _ in .file(request.header("Cache-Control") == nil ? old : new, etag: "\"v\"") }
        ])
        let digest = try digest(of: new, .sha256).hexText
        try await product.succeed("download", "--sha256", digest, "-o", "f", server.url("/f"))
        #expect(try product.home.read("work/f") == new.bytes())
    }

    /// A server without a clock.
    @Test func aDateWithoutAClockResumes() async throws {
        let product = try Product()
        let file = Reply.file(Self.content, lastModified: WallTime(seconds: 1_577_836_800)).with { $0.date = .absent }
        let server = try NastyServer(routes: ["/f": .first(1, file.cut(after: 3 << 20), then: file)])
        try await product.succeed("download", "--split", "1", "-o", "f", server.url("/f"))
        #expect(try product.home.read("work/f") == Self.content.bytes())
        #expect(server.requests.count == 2 && server.requests[1].range != nil)
    }

    /// The end of a connection marks it with TLS alone, and libcurl does not report the end mark of HTTP/2.
    @Test func aBodyWhoseEndNothingMarksIsRemarkedOn() async throws {
        let product = try Product()
        let whole = Reply.status(200, body: String(repeating: "x", count: 5_000)).framed(.untilClose)
        let server = try NastyServer(routes: ["/f": Route(whole)])
        let result = try await product.call("longhaul", ["download", "-o", "f", server.url("/f")]).run()
        #expect(result.ending == .exited(0))
        let isRemarked = server.transport != .secureHTTP1
        #expect(result.errorOutput.contains("length not verified") == isRemarked, "\(result.errorOutput)")
        let id = try #require(try await product.list("--all").first?["id"])
        #expect(try await product.succeed("history", id).contains("length not verified") == isRemarked)
    }

    /// With a strong tag the missing rest is found.
    @Test func aCutBodyWithATagIsCompleted() async throws {
        let product = try Product()
        let cut = part("\"v1\"").framed(.untilClose).with {
            $0.faults.append(Transport.current == .http1 ? .cut(after: 3 << 20) : .reset(after: 3 << 20))
            $0.resetCode = .noError
        }
        let server = try NastyServer(routes: ["/f": .first(1, cut, then: part("\"v1\""))])
        try await product.succeed("download", "--split", "1", "-o", "f", server.url("/f"))
        #expect(try product.home.read("work/f") == Self.content.bytes())
        #expect(server.requests.count == 2)
    }
}
