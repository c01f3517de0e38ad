import Testing

@testable import LonghaulCore

/// Further connections to mirrors without TLS after a certificate failure.
@Suite struct PlainMirrorConnectionTests {
    private typealias World = SegmentMachineWorld

    private static func source(_ request: SegmentAction.Request) -> String {
        if case .mirror(let place) = request.source { place.url } else { "" }
    }

    /// Runs until the certificate of a mirror with TLS is rejected, while one without TLS is in use.
    private func world(_ plain: PlainMirrors) throws -> World {
        var partial = World.partial(segments: 4, mirrors: 1)
        partial.mirrors.places.append(
            MirrorPlan.Place(url: "http://plain.example/f", headers: [], isAtHome: false))
        partial.mirrors.plain = plain
        let rejection = TransferFailure(.certificateRejected, "It was rejected.", origin: .curl(60))
        let server: (SegmentAction.Request, inout World) -> World.Manners = { request, _ in
            Self.source(request).contains("mirror0")
                ? World.Manners(failure: rejection, delay: 400) : World.Manners(delay: 50, rate: 20)
        }
        let first = World.Manners(rate: 20)
        var world = try #require(World(total: 64 << 20, partial, first: first, seed: 1, server: server))
        try world.run { world in
            world.requests.contains { Self.source($0).contains("mirror0") && world.connections[$0.ticket] == nil }
        }
        #expect(world.outcome == nil && world.requests.contains { Self.source($0).contains("plain") })
        return world
    }

    @Test func rejectedCertificateEndsPlainConnections() throws {
        var world = try world(.usedUntilRejection)
        #expect(world.machine.members.values.allSatisfy { $0.place != 2 || !$0.isAtWork })
        let count = world.requests.count
        try world.run()
        #expect(world.outcome?.disposition == .written(length: world.total, isComplete: true))
        #expect(world.requests.dropFirst(count).allSatisfy { Self.source($0).isEmpty })
        try world.checkWhole()
    }

    @Test func digestKeepsPlainConnections() throws {
        var world = try world(.used)
        #expect(world.machine.members.values.contains { $0.place == 2 && $0.isAtWork })
        try world.run()
        #expect(world.outcome?.disposition == .written(length: world.total, isComplete: true))
    }

    @Test func plainMirrorOfAResponseIsNotUsedAfterARejection() throws {
        var partial = World.partial(segments: 4)
        partial.mirrors.plain = .banned
        let server: (SegmentAction.Request, inout World) -> World.Manners = { _, _ in World.Manners() }
        let world = try #require(World(total: 64 << 20, partial, seed: 1, server: server))
        var head = world.machine.version.head
        head.effectiveURL = "http://a.example/f"
        head.headers.append(HeaderField("Link", "<http://plain.example/f>; rel=duplicate"))
        for (plain, count) in [(PlainMirrors.banned, 0), (.usedUntilRejection, 1)] {
            partial.mirrors.plain = plain
            let sources = SegmentSources(
                World.plan(partial), partial.mirrors, SegmentVersion(head, resume: nil), isRedirected: false)
            #expect(sources.plainMirrors.count == count)
        }
    }
}
