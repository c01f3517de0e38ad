import LonghaulCore
import TestSupport
import Testing

/// Downloads behind redirects to servers that change and to URLs that expire.
@Suite(.onEachTransport) struct RedirectedDownloadTests {
    private static let content = Content(seed: 421, length: (6 << 20) + 5)

    /// Each signature serves two requests: the first breaks off. Then it has expired.
    @Test(arguments: ["1", "4"]) func anExpiredSignatureIsReplaced(split: String) async throws {
        let product = try Product()
        let file = Reply.file(Self.content, etag: "\"v1\"")
        let server = try NastyServer(routes: [
            "/f": .decided { _, visit in .redirect(to: "/signed/\(visit)") },
            "/signed/0": .first(1, file.cut(after: 3 << 20), then: .status(403)),
            "/signed/*": Route(file),
        ])
        try await product.succeed("download", "--split", split, "-o", "f.bin", server.url("/f"))
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        #expect(server.requests(to: "/f").count == 2 && server.requests(to: "/f")[1].range != nil)
    }

    /// A redirector alternates between two servers with tags of their own, and ten connections break.
    @Test(arguments: [true, false]) func alternatingServersCostNothing(hasDigest: Bool) async throws {
        let product = try Product()
        let breaks = 10
        func server(_ tag: String) -> Route {
            .decided { _, visit in
                let file = Reply.file(Self.content, etag: tag)
                return visit < breaks ? file.cut(after: 512 << 10) : file
            }
        }
        let redirector = try NastyServer(routes: [
            "/f": .decided { _, visit in .redirect(to: visit % 2 == 0 ? "/one" : "/two") }, "/one": server("\"1\""),
            "/two": server("\"2\""),
        ])
        let digest = hasDigest ? ["--sha256", try digest(of: Self.content, .sha256).hexText] : []
        let result = try await product.call(
            "longhaul", ["download", "--split", "1", "-o", "f.bin", redirector.url("/f")] + digest
        ).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        let received = redirector.requests.reduce(0) { $0 + $1.responseBytes }
        #expect(received <= Self.content.length + 1 << 20, "\(redirector.summary)")
    }
}
