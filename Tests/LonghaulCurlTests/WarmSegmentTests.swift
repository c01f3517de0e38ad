import LonghaulCore
import TestSupport
import Testing

/// The connections of a download over several connections.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct WarmSegmentTests {
    /// So small that none of four connections takes over a part of another's range.
    private static let content = Content(seed: 321, length: 5 << 20)

    private func world(_ settings: HTTP2Settings) throws -> World {
        let route = Route.standing(Self.content, at: Latch()) { _, _ in .file(Self.content, etag: "\"v1\"") }
        return try World(["/f": route], settings: settings)
    }

    private func fetch(_ world: World) throws {
        let outcome = try world.fetch(world.segmented("/f"))
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome.ending)")
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    /// The first connection stalls: a connection that has finished its own part fetches the rest, and needs no new connection for that.
    @Test func finishedHelperReusesItsConnection() throws {
        let world = try world(.withHTTP1)
        try fetch(world)
        #expect(world.server.requests.count > 4 && world.server.connections == 4)
        world.server.dropConnections()
    }

    /// Even with a server that supports only HTTP/2, which refuses the others' first connections.
    @Test func furtherConnectionsRequestOnlyTheirShare() throws {
        let world = try world(HTTP2Settings())
        try fetch(world)
        let parts = world.server.requests.dropFirst().prefix(3).compactMap(\.range)
        let lengths = parts.map { ($0.last ?? .max) - ($0.first ?? 0) + 1 }
        #expect(
            lengths.count == 3 && lengths.allSatisfy { $0 <= (5 << 20) / 4 + (64 << 10) },
            "\(lengths) \(world.server.summary)")
        world.server.dropConnections()
    }

    /// The rest of the first connection's response is in flight and useless: it would take bandwidth from later responses on the same
    /// connection.
    @Test func cutConnectionIsNotReused() throws {
        let world = try world(HTTP2Settings())
        try fetch(world)
        world.server.setRoute("/a", .status(200))
        #expect(try world.exchange(world.request("GET", "/a")).ending == .responded)
        let cut = try #require(world.server.requests.first).connection
        #expect(try #require(world.server.requests(to: "/a").last).connection != cut)
        world.server.dropConnections()
    }
}
