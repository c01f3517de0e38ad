import LonghaulCore
import TestSupport
import Testing

/// Downloads behind redirects to servers that change and to URLs that expire.
@Suite(.onEachTransport) struct RedirectedDownloadTests {
    private static let content = Content(seed: 421, length: (6 << 20) + 5)

    /// Each signature serves two requests: the first one is interrupted. Then it has expired.
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
        let own = server.requests(to: "/f")
        // Further connections may request new signatures, and bytes that arrived earlier may be fetched again.
        #expect(split == "1" ? own.count == 2 && own[1].range != nil : own.count > 1, "\(server.summary)")
    }

    /// A redirector alternates between two servers with different tags, and ten connections break.
    @Test(arguments: [true, false], ["", "4", "1"])
    func alternatingServersCostNothing(hasDigest: Bool, split: String) async throws {
        let product = try Product()
        let breaks = Monitor(10)
        let transport = Transport.current
        let mirrors = try ["\"a\"", "\"m2\""].map { tag in
            try NastyServer(routes: [
                "/f": .decided { _, _ in
                    let file = Reply.file(Self.content, etag: tag)
                    let breaks = breaks.update { left in
                        defer { left -= 1 }
                        return left > 0
                    }
                    return breaks ? file.broken(after: 512 << 10, over: transport) : file
                }
            ])
        }
        let redirector = try NastyServer(routes: [
            "/f": .decided { _, visit in .redirect(to: mirrors[visit % 2].url("/f")) }
        ])
        let digest = hasDigest ? ["--sha256", try digest(of: Self.content, .sha256).hexText] : []
        let options = split.isEmpty ? [] : ["--split", split]
        let result = try await product.call(
            "longhaul", ["download", "-o", "f.bin", redirector.url("/f")] + digest + options
        ).run()
        #expect(result.ending == .exited(0), "\(result.errorOutput)")
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        #expect(breaks.value <= 0)
        let received = mirrors.flatMap(\.requests).reduce(0) { $0 + $1.responseBytes }
        #expect(received <= Self.content.length + 1 << 20, "\(mirrors.map(\.summary))")
    }
}
