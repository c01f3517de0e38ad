import LonghaulCore
import TestSupport
import Testing

/// Servers that treat further connections differently from the first.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct HostileSegmentTests {
    private static let content = Content(seed: 311, length: (10 << 20) + 13)
    private static let other = Content(seed: 312, length: (10 << 20) + 13)

    /// Downloads over up to four connections where each range request gets `reply`; the first connection continues
    /// after such a request has arrived.
    private func fetch(_ reply: @escaping @Sendable (Int) -> Reply) throws -> (World, ExchangeOutcome) {
        let latch = Latch()
        let world = try World([
            "/f": .standing(Self.content, at: latch) { _, visit in
                latch.open()
                return reply(visit)
            }
        ])
        return (world, try world.fetch(world.segmented("/f")))
    }

    private func asked(_ world: World) -> [String] { world.server.requests.map { $0.header("Range") ?? "all" } }

    private func isWhole(_ world: World, _ outcome: ExchangeOutcome) throws {
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome)")
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    /// Overloaded servers, one-time URLs, servers that withdraw their support of ranges.
    @Test(arguments: [401, 403, 404, 410, 416, 429, 500, 503])
    func refusedConnectionIsDoneWithout(status: Int) throws {
        let (world, outcome) = try fetch { _ in .status(status) }
        try isWhole(world, outcome)
        #expect(world.server.requests.count <= 8, "\(asked(world))")
    }

    @Test func serverIgnoringRangesGetsFewRequests() throws {
        let (world, outcome) = try fetch { _ in
            var manners = RangeManners()
            manners.honoursRange = false
            return .file(Self.content, etag: "\"v1\"", ranges: manners)
        }
        try isWhole(world, outcome)
        #expect(world.server.requests.count <= 8, "\(asked(world))")
    }

    @Test(arguments: [
        ContentRangeForm.absent, .shifted(by: 64 << 10), .shifted(by: -1), .text("bytes 0-10/*"), .text("nonsense"),
    ])
    func falseContentRangeIsDoneWithout(form: ContentRangeForm) throws {
        let (world, outcome) = try fetch { _ in
            var manners = RangeManners()
            manners.contentRange = form
            return .file(Self.content, etag: "\"v1\"", ranges: manners)
        }
        try isWhole(world, outcome)
    }

    /// Shown by a 206, by a 200, by a refusal, and by another length.
    @Test(arguments: 0..<4) func anotherVersionIsNeverMixedIn(how: Int) throws {
        let (world, outcome) = try fetch { _ in
            var manners = RangeManners()
            switch how {
            case 0:
                manners.honoursIfRange = false
                manners.honoursPreconditions = false
            case 1: manners.honoursPreconditions = false
            case 2: break
            default:
                manners.contentRange = .totalShifted(by: 1)
                return .file(Self.content, etag: "\"v1\"", ranges: manners)
            }
            return .file(Self.other, etag: "\"v2\"", ranges: manners)
        }
        // Only the first connection of an attempt decides that the file has changed.
        try isWhole(world, outcome)
    }

    @Test func otherDigestConcernsOnlyItsConnection() throws {
        let digests = [Self.content, Self.other].map {
            HeaderField("Repr-Digest", "sha-256=:\($0.sha256Base64):")
        }
        let latch = Latch()
        let world = try World([
            "/f": .decided { _, visit in
                let reply = Reply.file(
                    Self.content, etag: "\"v1\"",
                    headers: [digests[min(visit, 1)]])
                if visit > 0 { latch.open() }
                return visit == 0 ? reply.stalled(after: 1 << 20, by: latch) : reply
            }
        ])
        try isWhole(world, try world.fetch(world.segmented("/f")))
    }

    /// Nodes with different tags, which refuse with 412, the whole file, or a part. The digest of the whole file decides.
    @Test(arguments: 0..<3) func digestOutweighsTheTagsOfNodes(how: Int) throws {
        let latch = Latch()
        let world = try World([
            "/f": .standing(Self.content, at: latch) { _, visit in
                var manners = RangeManners()
                manners.honoursPreconditions = how == 0
                manners.honoursIfRange = how < 2
                return .file(Self.content, etag: "\"v\(visit % 2 + 1)\"", ranges: manners)
            }
        ])
        var plan = world.segmented("/f")
        guard case .partial(var partial) = plan.sink else { throw Unexpected() }
        partial.mirrors.isProvenByDigest = true
        plan.sink = .partial(partial)
        // The first connection stalls: other connections fetch its whole range.
        try isWhole(world, try world.fetch(plan))
        let parts = world.server.requests.dropFirst()
        #expect(parts.contains { $0.header("If-Range") == nil } && parts.contains { $0.header("If-Range") != nil })
        latch.open()
    }

    /// Even the first one: the bytes of each stay, and others request the rest.
    @Test func truncatedConnectionsAreRetriedForMissingBytes() throws {
        let latch = Latch()
        let world = try World([
            "/f": .decided { _, visit in
                let reply = Reply.file(
                    Self.content, etag: "\"v1\""
                ).cut(after: 1_500_000)
                guard visit > 0 else { return reply.stalled(after: 1 << 20, by: latch) }
                latch.open()
                return reply
            }
        ])
        try isWhole(world, try world.fetch(world.segmented("/f")))
    }

    @Test func shortRangeResponsesAreContinued() throws {
        let (world, outcome) = try fetch { _ in
            var manners = RangeManners()
            manners.longestRange = 700_000
            return .file(Self.content, etag: "\"v1\"", ranges: manners)
        }
        try isWhole(world, outcome)
    }

    @Test(arguments: [Reply.Ending.closesUnanswered, .resetsUnanswered])
    func unansweredConnectionIsDoneWithout(ending: Reply.Ending) throws {
        let (world, outcome) = try fetch { _ in Reply(status: 200).ending(ending) }
        // On HTTP/2, the first connection is a different one.
        try isWhole(world, outcome)
    }

    /// A redirect leads to a URL whose signature expires: further connections use the transfer's own URL to get a new one.
    @Test func expiredSignedURLIsRenewedThroughOriginalURL() throws {
        let latch = Latch()
        let first = Reply.file(Self.content, etag: "\"v1\"")
        let world = try World([
            "/f": .inTurn(.redirect(to: "/signed/1"), .redirect(to: "/signed/2")),
            "/signed/1": .inTurn(first.stalled(after: 1 << 20, by: latch), .status(403)),
            "/signed/2": Route(first),
        ])
        try isWhole(world, try world.fetch(world.segmented("/f")))
        #expect(world.server.requests(to: "/f").count >= 3)
        latch.open()
    }

    /// No connection is left, and no response shows that the transfer's own URL is refused.
    @Test(arguments: [400, 401, 403, 404, 410]) func refusedHelpersDoNotEndTheTransfer(status: Int) throws {
        let world = try World([
            "/f": .decided { _, visit in
                visit == 0 ? .file(Self.content, etag: "\"v1\"").stalled(after: 1 << 20, by: Latch()) : .status(status)
            }
        ])
        let ticket = world.start(.exchange(world.segmented("/f", 2)))
        try world.spread(ticket, over: 2)
        try world.server.waitForRequests(2)
        world.waitUntilReceived(1 << 20, ticket)
        world.server.dropConnections()
        let outcome = try world.outcomeOfStalled(ticket)
        guard case .broke(let failure) = outcome.ending else { throw Unexpected() }
        #expect(failure.code == .connectionLost && outcome.disposition == .none)
        #expect(try #require(world.map(of: ticket)).count == 1 << 20)
    }

    /// If no connection is left, the attempt fails with the last one's response, and the map lists the received ranges.
    @Test func whenAllAreRefusedTheMapIsKept() throws {
        let latch = Latch()
        let world = try World([
            "/f": .standing(Self.content, at: latch) { _, visit in
                guard visit == 0 else { return .busy(503, retryAfter: "7") }
                return .file(Self.content, etag: "\"v1\"").cut(after: 2 << 20)
            }
        ])
        let ticket = world.start(.exchange(world.segmented("/f", 2)))
        try world.spread(ticket, over: 2)
        try world.server.waitForRequests(3)
        world.server.dropConnections()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.disposition == .refused(.status) && outcome.head?.status == 503)
        let map = try #require(world.map(of: ticket))
        #expect(map.count >= 1 << 20)
        latch.open()
    }
}
