import LonghaulCore
import TestSupport
import Testing

/// Downloads over several connections, as users start them.
@Suite(.tags(.libcurl), .onEachTransport) struct SplitTests {
    private static let content = Content(seed: 401, length: (9 << 20) + 5)

    /// The first connection stalls after a megabyte: the others fetch all the rest.
    private func server() throws -> NastyServer {
        let latch = Latch()
        return try NastyServer(routes: [
            "/f.bin": .decided { request, visit in
                let reply = Reply.file(
                    Self.content, etag: "\"v1\"")
                return visit == 0 ? reply.stalled(after: 1 << 20, by: latch) : reply
            }
        ])
    }

    @Test func splitUsesTheRequestedNumberOfConnections() async throws {
        let product = try Product()
        let server = try server()
        try await product.succeed("download", "--split", "4", "-o", "f.bin", server.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        #expect(server.requests.count >= 4 && server.requests.dropFirst().allSatisfy { $0.range != nil })
        server.dropConnections()
    }

    @Test func aPartOfAFileIsFetchedInTheSameWay() async throws {
        let product = try Product()
        let server = try server()
        try await product.succeed(
            "download", "--split", "4", "--range", "1000-9000000", "-o", "part", server.url("/f.bin"))
        #expect(try product.home.read("work/part") == Array(Self.content.bytes()[1_000...9_000_000]))
        #expect(server.requests.count >= 4)
        server.dropConnections()
    }

    /// A server whose nodes have different tags.
    @Test func checksumOutweighsTheTagsOfNodes() async throws {
        let product = try Product()
        let latch = Latch()
        let server = try NastyServer(routes: [
            "/f.bin": .decided { request, visit in
                let reply = Reply.file(Self.content, etag: "\"v\(visit % 2)\"")
                return visit == 0 ? reply.stalled(after: 1 << 20, by: latch) : reply
            }
        ])
        let sum = try digest(of: Self.content, .sha256).hexText
        try await product.succeed(
            "download", "--split", "4", "--sha256", sum, "-o", "f.bin", server.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
        #expect(server.requests.count { $0.range != nil } >= 4)
        server.dropConnections()
    }

    /// The first connection still sends the version that it has begun.
    @Test func anotherVersionInTheMiddleLeavesTheFirstOne() async throws {
        let product = try Product()
        let other = Content(seed: 402, length: Self.content.length)
        let latch = Latch()
        let server = try NastyServer(routes: [
            "/f.bin": .decided { request, visit in
                guard visit > 0 else {
                    return .file(Self.content, etag: "\"v1\"").stalled(after: 1 << 20, by: latch)
                }
                latch.open()
                return .file(other, etag: "\"v2\"")
            }
        ])
        try await product.succeed("download", "--split", "4", "-o", "f.bin", server.url("/f.bin"))
        #expect(try product.home.read("work/f.bin") == Self.content.bytes())
    }
}
