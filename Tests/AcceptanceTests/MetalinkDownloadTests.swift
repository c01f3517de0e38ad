import LonghaulCore
import TestSupport
import Testing

/// Downloads by a Metalink, with the digests of their pieces.
@Suite(.onEachTransport) struct MetalinkDownloadTests {
    private static let pieceLength: Int64 = 256 << 10
    /// Each piece has separate content with a known digest.
    private static let parts = (0..<6).map { Content(seed: 500 + UInt64($0), length: pieceLength) }
    private static let bytes = parts.flatMap { $0.bytes() }

    private func metalink(_ urls: [String], name: String = "f.bin", digest: String = "") throws -> String {
        let hashes = try Self.parts.map { part in
            let digest = try #require(Base64.decode(part.sha256Base64))
            return "<hash>\(Digest(algorithm: .sha256, bytes: digest).hexText)</hash>"
        }
        let places = urls.enumerated().map { "<url priority=\"\($0.offset + 1)\">\($0.element)</url>" }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="\(name)"><size>\(Self.bytes.count)</size>\(digest)
            <pieces length="\(Self.pieceLength)" type="sha-256">\(hashes.joined())</pieces>\(places.joined())</file></metalink>
            """
    }

    private func route(_ bytes: [UInt8]) -> Route {
        .decided { request, _ in
            let range = request.range
            let first = Int(range?.first ?? 0)
            let last = min(Int(range?.last ?? Int64(bytes.count - 1)), bytes.count - 1)
            var reply = Reply.status(
                range == nil ? 200 : 206,
                headers: [HeaderField("ETag", "\"v1\""), HeaderField("Accept-Ranges", "bytes")])
            if range != nil { reply = reply.header("Content-Range", "bytes \(first)-\(last)/\(bytes.count)") }
            reply.body = Array(bytes[first...last])
            return reply
        }
    }

    @Test func aMetalinkIsFetchedAndItsFilesAre() async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/f": route(Self.bytes)])
        server.setRoute("/f.meta4", .status(200, body: try metalink([server.url("/gone"), server.url("/f")])))
        try await product.succeed("download", server.url("/f.meta4"))
        #expect(try product.home.read("work/f.bin") == Self.bytes)
        try product.home.write(try metalink([server.url("/f")], name: "../g.bin").utf8, to: "work/local.xml")
        try await product.succeed("download", "--metalink", "local.xml")
        #expect(try product.home.read("work/g.bin") == Self.bytes)
    }

    /// The first source has one wrong byte: only that piece is fetched again, from the other source.
    @Test func aWrongPieceIsFetchedAgainAlone() async throws {
        let product = try Product()
        var wrong = Self.bytes
        wrong[Int(Self.pieceLength) * 2 + 77] ^= 1
        let bad = try NastyServer(routes: ["/f": route(wrong)])
        let good = try NastyServer(routes: ["/f": route(Self.bytes)])
        try product.home.write(try metalink([bad.url("/f"), good.url("/f")]).utf8, to: "work/f.meta4")
        try await product.succeed("download", "--split", "1", "-i", "f.meta4")
        #expect(try product.home.read("work/f.bin") == Self.bytes)
        #expect(good.requests.count == 1 && good.requests[0].range?.first == Self.pieceLength * 2)
        #expect(good.requests[0].range?.last == Self.pieceLength * 3 - 1)
    }

    @Test func aPieceThatIsWrongEverywhereIsNamed() async throws {
        let product = try Product()
        var wrong = Self.bytes
        wrong[Int(Self.pieceLength) + 1] ^= 1
        let bad = try NastyServer(routes: ["/f": route(wrong)])
        try product.home.write(try metalink([bad.url("/f")]).utf8, to: "work/f.meta4")
        let result = try await product.longhaul("download", "f.meta4")
        #expect(result.exitStatus == 9 && result.errorOutput.contains("Piece 2 of 6"), "\(result.errorOutput)")
        #expect(bad.requests.count == 3)
    }

    /// One flipped byte in an existing file costs one piece.
    @Test func damagedFileIsRepairedByRequestingOnePiece() async throws {
        let product = try Product()
        let server = try NastyServer(routes: ["/f": route(Self.bytes)])
        var damaged = Self.bytes
        damaged[Int(Self.pieceLength) * 4] ^= 0x80
        try product.home.write(damaged, to: "work/f.bin")
        try product.home.write(try metalink([server.url("/f")]).utf8, to: "work/f.meta4")
        try await product.succeed("download", "--metalink", "f.meta4")
        #expect(try product.home.read("work/f.bin") == Self.bytes)
        #expect(server.requests.count == 1)
        #expect(server.requests[0].range?.first == Self.pieceLength * 4)
        #expect(server.requests[0].range?.last == Self.pieceLength * 5 - 1)
        // A complete file needs no server.
        try await product.succeed("download", "--again", "--metalink", "f.meta4")
        #expect(server.requests.count == 1)
    }

    @Test func invalidMetalinkIsRejected() async throws {
        let product = try Product()
        try product.home.write("<html/>".utf8, to: "work/x.meta4")
        let result = try await product.longhaul("download", "x.meta4")
        #expect(result.exitStatus == 2 && result.errorOutput.contains("not a Metalink"), "\(result.errorOutput)")
    }
}
