import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Connections of one download to several servers.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct MirrorTests {
    private static let content = Content(seed: 331, length: (10 << 20) + 77)
    private static let other = Content(seed: 332, length: (10 << 20) + 77)

    /// Returns a world whose first request stalls after a megabyte, until a mirror has received `requests` requests.
    private func world(_ latch: Latch) throws -> World {
        try World(["/f": .standing(Self.content, at: latch) { _, _ in .file(Self.content, etag: "\"v1\"") }])
    }

    private func fetch(
        _ world: World, mirror: NastyServer, digest: Bool = false, opening latch: Latch? = nil
    ) throws -> (ExchangeOutcome, [MirrorSelector.Statistics]) {
        var plan = world.segmented("/f", 3)
        plan.headers.append(HeaderField("Authorization", "Basic eDp5", isSecret: true))
        guard case .partial(var partial) = plan.sink else { throw Unexpected() }
        partial.mirrors = MirrorPlan(
            places: [MirrorPlan.Place(url: mirror.url("/g"), headers: [HeaderField("X-Plain", "1")], isAtHome: false)],
            isProvenByDigest: digest)
        plan.sink = .partial(partial)
        let ticket = world.start(.exchange(plan))
        try world.spread(ticket, over: 3)
        if let latch { try open(latch, afterResponseOf: mirror, world) }
        let outcome = try world.outcomeOfStalled(ticket)
        let news = world.events(of: ticket).flatMap { event -> [MirrorSelector.Statistics] in
            if case .places(let news) = event { news } else { [] }
        }
        return (outcome, news)
    }

    /// Opens the latch once the engine has read a response of the mirror: the download must not end before.
    private func open(_ latch: Latch, afterResponseOf mirror: NastyServer, _ world: World) throws {
        let deadline = ContinuousClock.now + .patience
        while !mirror.requests.contains(where: { $0.isFinished || $0.responseBytes > 0 }),
            ContinuousClock.now < deadline
        {
            usleep(30_000)
            try world.advance(by: .milliseconds(250))
        }
        try world.advance(by: .zero)
        latch.open()
    }

    private func isWhole(_ world: World, _ outcome: ExchangeOutcome) throws {
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome.ending)")
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test(arguments: [false, true]) func aMirrorGivesItsPart(byDigest: Bool) throws {
        let world = try world(Latch())
        let tag = byDigest ? "\"another\"" : "\"v1\""
        let mirror = try NastyServer(routes: ["/g": Route(.file(Self.content, etag: tag))])
        let (outcome, news) = try fetch(world, mirror: mirror, digest: byDigest)
        try isWhole(world, outcome)
        let asked = mirror.requests
        #expect(!asked.isEmpty && asked.allSatisfy { $0.range?.last != nil })
        #expect(asked.allSatisfy { $0.header("Authorization") == nil && $0.header("X-Plain") == "1" })
        #expect(asked.allSatisfy { ($0.header("If-Match") == nil) == byDigest })
        #expect(news.contains { $0.url == mirror.url("/g") && $0.bytes > 0 })
        world.server.dropConnections()
    }

    /// Another tag, another length, a whole body, no tag: a mirror without a proof of the same version is not used.
    @Test(arguments: 0..<5) func mirrorOfDifferentVersionIsNotUsed(how: Int) throws {
        let latch = Latch()
        let world = try world(latch)
        let mirror = try NastyServer(routes: [
            "/g": .decided { _, _ in
                var manners = RangeManners()
                manners.honoursIfRange = false
                manners.honoursPreconditions = false
                switch how {
                case 0: return .file(Self.other, etag: "\"v2\"", ranges: manners)
                case 1:
                    manners.contentRange = .totalShifted(by: 1)
                    return .file(Self.other, etag: "\"v1\"", ranges: manners)
                case 2:
                    manners.honoursRange = false
                    return .file(Self.other, etag: "\"v1\"", ranges: manners)
                case 3: return .file(Self.other, etag: nil, ranges: manners)
                default: return .file(Self.other, etag: "\"v2\"")
                }
            }
        ])
        let (outcome, news) = try fetch(world, mirror: mirror, opening: latch)
        try isWhole(world, outcome)
        #expect(news.contains { $0.url == mirror.url("/g") && $0.isOfOtherVersion && $0.bytes == 0 })
        #expect(mirror.requests.count <= 3)
    }

    @Test(arguments: [404, 503]) func aMirrorThatRefusesIsDoneWithout(status: Int) throws {
        let latch = Latch()
        let world = try world(latch)
        let mirror = try NastyServer(routes: ["/g": Route(.status(status))])
        let (outcome, _) = try fetch(world, mirror: mirror, opening: latch)
        try isWhole(world, outcome)
    }
}
