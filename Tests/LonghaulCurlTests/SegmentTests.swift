import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// Downloads over several connections, from correct servers.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct SegmentTests {
    private static let content = Content(seed: 301, length: (12 << 20) + 777)
    private static let overlap = SegmentSeams.overlap

    private func whole(_ latch: Latch) -> Route {
        .standing(Self.content, at: latch) { _, _ in .file(Self.content, etag: "\"v1\"") }
    }

    @Test func severalConnectionsFetchOneFile() throws {
        let world = try World(["/f": whole(Latch())])
        let ticket = world.start(.exchange(world.segmented("/f")))
        try world.spread(ticket)
        // The first connection stalls forever: the others take over the rest of its range.
        let outcome = try world.outcomeOfStalled(ticket)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(outcome.head?.status == 200)
        #expect(try world.contentOfPartial() == Self.content.bytes())
        let parts = world.server.requests.dropFirst()
        #expect(parts.count >= 3 && parts.allSatisfy { $0.header("If-Range") == "\"v1\"" && $0.range?.last != nil })
        let map = try #require(world.map(of: ticket))
        #expect(map.end <= Self.content.length)
        world.server.dropConnections()
    }

    @Test func helpersWaitForPermissionToLeaveHoles() throws {
        let latch = Latch()
        let world = try World(["/f": whole(latch)])
        let ticket = world.start(.exchange(world.segmented("/f")))
        _ = try world.next(ticket) { $0 == .connectionsWanted(4) }
        world.engine.setConnections(4, of: ticket)
        _ = try world.next(ticket) { if case .parts = $0 { true } else { false } }
        latch.open()
        #expect(try world.outcome(of: ticket).disposition == .written(length: Self.content.length, isComplete: true))
        #expect(world.server.requests.count == 1)
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test(arguments: [(1, "\"v1\"", true), (4, "\"v1\"", false), (4, "W/\"v1\"", true), (4, "", true)])
    func forbiddenHelpersAreNotStarted(segments: Int, tag: String, honoursRange: Bool) throws {
        var manners = RangeManners()
        manners.honoursRange = honoursRange
        let world = try World([
            "/f": Route(.file(Self.content, etag: tag.isEmpty ? nil : tag, ranges: manners))
        ])
        let ticket = world.start(.exchange(world.segmented("/f", segments)))
        #expect(try world.outcome(of: ticket).disposition == .written(length: Self.content.length, isComplete: true))
        #expect(!world.events(of: ticket).contains { if case .connectionsWanted = $0 { true } else { false } })
        #expect(world.server.requests.count == 1)
    }

    /// Until two seconds after the file's date, its validators do not distinguish versions. A node whose clock lags is not used.
    @Test(arguments: [2, 1] as [Int64]) func newFileIsSplitOnceItsAgeIsKnown(age: Int64) throws {
        let latch = Latch()
        let modified = WallTime(seconds: 1_700_000_000)
        let world = try World([
            "/f": .decided { _, visit in
                var reply = Reply.file(Self.content, etag: "\"v1\"", lastModified: modified)
                reply.date = .fixed(modified + .seconds(visit == 0 ? 0 : age))
                if visit > 0, age < 2 { latch.open() }
                return visit == 0 ? reply.stalled(after: 1 << 20, by: latch) : reply
            }
        ])
        let ticket = world.start(.exchange(world.segmented("/f")))
        world.waitUntilReceived(1 << 20, ticket)
        #expect(world.server.requests.count == 1)
        try world.advance(by: .milliseconds(1_900))
        #expect(!world.events(of: ticket).contains { if case .connectionsWanted = $0 { true } else { false } })
        try world.advance(by: .milliseconds(350))
        try world.spread(ticket)
        let outcome = try world.outcomeOfStalled(ticket)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome.ending)")
        #expect(world.server.requests.count > 1)
        #expect(try world.contentOfPartial() == Self.content.bytes())
        latch.open()
    }

    @Test func cancelledDownloadResumesOnlyItsHoles() throws {
        let content = Self.content
        let (first, rest) = (Latch(), Latch())
        // Each part stalls as well, so that there are holes.
        let world = try World([
            "/f": .standing(content, at: first) { _, _ in
                .file(content, etag: "\"v1\"").stalled(after: Self.overlap + (1 << 20), by: rest)
            }
        ])
        let ticket = world.start(.exchange(world.segmented("/f")))
        try world.spread(ticket)
        try world.server.waitForRequests(4)
        world.waitUntilReceived(4 << 20, ticket)
        world.engine.cancel(ticket)
        #expect(try world.outcome(of: ticket).ending == .cancelled)
        let map = try #require(world.map(of: ticket))
        #expect(map.count == 4 << 20 && map.ranges.count == 4, "\(map)")
        world.server.setRoute("/f", .file(content, etag: "\"v1\""))
        let before = world.server.requests.count
        let again = world.start(.exchange(world.segmented("/f", 1, map: map.withoutHeads(), total: content.length)))
        #expect(try world.outcome(of: again).disposition == .written(length: content.length, isComplete: true))
        #expect(try world.contentOfPartial() == content.bytes())
        let asked = world.server.requests.dropFirst(before).reduce(into: Int64(0)) { sum, request in
            guard let range = request.range, let first = range.first else { return }
            sum += (range.last ?? content.length - 1) - first + 1
        }
        // Each hole is compared before it and, except for the last one, after it.
        #expect(asked == content.length - map.count + 7 * Self.overlap)
        first.open()
        rest.open()
    }

    @Test func firstSegmentMapContainsOnlySyncedPrefix() throws {
        let latch = Latch()
        let world = try World(["/f": whole(latch)])
        let ticket = world.start(.exchange(world.segmented("/f")))
        _ = try world.next(ticket) { $0 == .connectionsWanted(4) }
        world.waitUntilReceived(1 << 20, ticket)
        world.engine.setConnections(4, of: ticket)
        guard case .parts(let map) = try world.next(ticket, where: { if case .parts = $0 { true } else { false } })
        else { throw Unexpected() }
        #expect(map.front == map.end && map.end <= 1 << 20, "no hole before it is allowed")
        latch.open()
        _ = try world.outcome(of: ticket)
    }

    @Test func theDigestOfTheWholeIsRightWhateverTheOrder() throws {
        let content = Self.content
        let digest = try #require(Base64.decode(content.sha256Base64).map { Digest(algorithm: .sha256, bytes: $0) })
        let world = try World(["/f": whole(Latch())])
        #expect(try world.fetch(world.segmented("/f", digests: [.sha256])).ending == .responded)
        func place(_ digest: Digest) throws -> EngineEvent {
            try world.run(
                .place(
                    PlacePlan(
                        id: TransferID(high: 1, low: 2), partialPath: world.partial, directory: world.directory.path,
                        fileName: "film", collision: .number, length: content.length, digests: [digest])))
        }
        var wrong = digest
        wrong.bytes[0] ^= 1
        guard case .placed(.failure(let failure)) = try place(wrong) else { throw Unexpected() }
        #expect(failure.code == .digestMismatch)
        guard case .placed(.success) = try place(digest) else { throw Unexpected() }
    }

    @Test func rateLimitHoldsForAllConnections() throws {
        let world = try World(["/f": whole(Latch())])
        var plan = world.segmented("/f")
        plan.rateLimit = 200_000
        let begin = world.clock.now
        let ticket = world.start(.exchange(plan))
        try world.spread(ticket)
        try world.server.waitForRequests(4)
        try world.waitUntilMoved(300_000, ticket, advancingBy: .milliseconds(250))
        let received = try #require(world.engine.progress(of: ticket)).received
        let elapsed = (world.clock.now - begin) / 1_000_000_000
        // One buffer of each connection may be full when the pace stops it.
        let most = 200_000 * (elapsed + 1) + 4 * (64 << 10)
        #expect(received <= most, "\(received) bytes in \(elapsed) s")
        world.engine.setRateLimit(nil, of: ticket)
        #expect(
            try world.outcomeOfStalled(ticket).disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func allowanceHoldsForAllConnections() throws {
        let world = try World(["/f": whole(Latch())])
        var plan = world.segmented("/f")
        plan.allowance = 3 << 20
        let ticket = world.start(.exchange(plan))
        try world.spread(ticket)
        _ = try world.next(ticket) { $0 == .allowanceUsed }
        #expect(try #require(world.engine.progress(of: ticket)).received <= (3 << 20) + 4 * (64 << 10))
        world.engine.setAllowance(nil, of: ticket)
        #expect(
            try world.outcomeOfStalled(ticket).disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
    }

    @Test func connectionsAreGivenUpWhenTheLoopNeedsThem() throws {
        let content = Self.content
        let (first, rest) = (Latch(), Latch())
        let world = try World([
            "/f": .standing(content, at: first) { _, visit in
                let part = Reply.file(content, etag: "\"v1\"")
                return visit < 3 ? part.stalled(after: Self.overlap + (1 << 20), by: rest) : part
            }
        ])
        let ticket = world.start(.exchange(world.segmented("/f")))
        try world.spread(ticket)
        try world.server.waitForRequests(4)
        world.waitUntilReceived(4 << 20, ticket)
        world.engine.setConnections(1, of: ticket)
        first.open()
        #expect(try world.outcome(of: ticket).disposition == .written(length: content.length, isComplete: true))
        #expect(try world.contentOfPartial() == content.bytes())
        rest.open()
    }
}
