import LonghaulCore
import TestSupport
import Testing

/// Many simultaneous transfers over HTTP/2, with real servers.
@Suite(.tags(.libcurl), .serialized) struct HTTP2PeerTests {
    private static let downloads = 60
    private static let uploads = 30

    /// `LONGHAUL_TEST_ROUNDS` sets the repetitions.
    private static let rounds = Tools.environment["LONGHAUL_TEST_ROUNDS"].flatMap(Int.init) ?? 1

    @Test(arguments: HTTP2Peer.Kind.allCases)
    func allArrive(kind: HTTP2Peer.Kind) async throws {
        let missing = HTTP2Peer.missing(kind)
        try #require(missing == nil, "\(missing ?? "")")
        let test = try #require(Test.current)
        for transport in Transport.allCases {
            try await EachTransport.run(test, over: transport, variant: kind.rawValue) {
                for _ in 0..<Self.rounds { try await round(kind) }
            }
        }
    }

    private func round(_ kind: HTTP2Peer.Kind) async throws {
        let tus = TusService(path: "/files/", keepingBytes: 0)
        let receiver = try NastyServer(
            routes: ["/files/*": tus.route, "/put/*": Route(.status(201))], keepingBodies: 0, over: .http1)
        let peer = try HTTP2Peer(kind, before: receiver.port)
        let product = try Product()
        let crowd = try TestFiles(Self.downloads, in: product)
        for (name, content) in zip(crowd.names, crowd.contents) { try peer.serve(content, as: name) }
        try await product.succeed("limits", "--total", "256", "--per-host", "256")
        try await crowd.upload(peer.passedURL + "put/", first: Self.uploads)
        // nghttpx ends streams with RST_STREAM(NO_ERROR) immediately after a response, and libcurl 7.88 loses such
        // responses: then the server's reported offset counts.
        try await crowd.upload(peer.passedURL + "files/", "--tus", first: Self.uploads)
        try await crowd.download(peer.filesURL)
        try await crowd.waitForEnd()
        try crowd.checkDownloads()
        let sent = Set(crowd.contents.prefix(Self.uploads).map(\.checksum))
        let puts = receiver.requests.filter { $0.method == "PUT" && $0.isBodyComplete }
        #expect(puts.count == Self.uploads && Set(puts.map(\.bodyChecksum)) == sent)
        // A creation whose response was lost is repeated, and leaves an empty upload.
        let whole = tus.uploads.filter { $0.offset == $0.length }
        #expect(whole.count == Self.uploads && Set(whole.compactMap(\.checksum)) == sent)
    }
}
