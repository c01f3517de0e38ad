import LonghaulCore
import TestSupport
import Testing

/// Servers whose responses have equal validators and different bytes.
@Suite(.tags(.libcurl, .directPath), .onEachTransport) struct JoinedSegmentTests {
    private static let old = Content(seed: 341, length: (10 << 20) + 5)
    private static let new = Content(seed: 342, length: (10 << 20) + 5)

    private static let shifted = {
        var manners = RangeManners()
        manners.bodyShift = 4
        return manners
    }()

    /// The first connection stalls after some bytes, until request `opensAt`. Each further request gets `replies[visit]`.
    private func fetch(_ replies: [Reply], stalls: Int64 = 1 << 20, opensAt: Int = .max) throws -> (
        World, ExchangeOutcome
    ) {
        let latch = Latch()
        let world = try World([
            "/f": .decided { _, visit in
                if visit == 0 { return .file(Self.old, etag: "\"v1\"").stalled(after: stalls, by: latch) }
                if visit > opensAt { latch.open() }
                return replies[min(visit - 1, replies.count - 1)]
            }
        ])
        let outcome = try world.fetch(world.segmented("/f"))
        latch.open()
        return (world, outcome)
    }

    /// The first connection stalls until another one has sent part of its range. If it continued any earlier, it could receive the
    /// whole file before there are bytes to compare.
    private func expectBytesOfFirst(besides reply: Reply) throws {
        let (first, second) = (Latch(), Latch())
        defer {
            first.open()
            second.open()
        }
        let world = try World([
            "/f": .decided { _, visit in
                visit == 0
                    ? .file(Self.old, etag: "\"v1\"").stalled(after: 1 << 20, by: first)
                    : reply.stalled(after: 256 << 10, by: second)
            }
        ])
        let ticket = world.start(.exchange(world.segmented("/f")))
        try world.spread(ticket)
        try second.waitForArrivals()
        first.open()
        second.open()
        try expectBytesOfFirst(world, try world.outcome(of: ticket))
    }

    /// The parts differ where they meet, and only the bytes of the first connection count.
    private func expectBytesOfFirst(_ world: World, _ outcome: ExchangeOutcome) throws {
        guard case .partsDiffer(let length) = outcome.disposition else { throw Unexpected() }
        #expect(outcome.ending == .responded && length > 0)
        #expect(try Array(world.contentOfPartial().prefix(Int(length))) == Self.old.bytes(0..<length))
    }

    /// The first connection still sends the file that it has opened, as nginx does.
    @Test func bytesOfReplacedFileAreDiscarded() throws {
        try expectBytesOfFirst(besides: .file(Self.new, etag: "\"v1\""))
    }

    @Test func shiftedBytesAreDiscarded() throws {
        try expectBytesOfFirst(besides: .file(Self.old, etag: "\"v1\"", ranges: Self.shifted))
    }

    /// The first connection never sends more, so that others take over its range in the middle.
    @Test func takenOverRangeIsCompared() throws {
        let right = Reply.file(Self.old, etag: "\"v1\"")
        let (world, outcome) = try fetch([right, right, right, .file(Self.new, etag: "\"v1\"")])
        try expectBytesOfFirst(world, outcome)
    }

    /// A range that an earlier attempt left behind a hole.
    @Test func rangeOfAnEarlierAttemptIsCompared() throws {
        let world = try World(["/f": Route(.file(Self.old, etag: "\"v1\""))])
        let map = SegmentMap([0..<1 << 20, 2 << 20..<3 << 20])
        var bytes = Self.old.bytes(0..<3 << 20)
        bytes.replaceSubrange(2 << 20..<3 << 20, with: Self.new.bytes(2 << 20..<3 << 20))
        try world.directory.write(bytes, to: "file.part")
        let plan = world.segmented("/f", 1, map: map.withoutHeads(), total: Self.old.length)
        try expectBytesOfFirst(world, try world.outcome(of: world.start(.exchange(plan))))
    }

    @Test func partWithoutValidatorsIsNotWritten() throws {
        var manners = RangeManners()
        (manners.honoursIfRange, manners.honoursPreconditions) = (false, false)
        let (world, outcome) = try fetch([.file(Self.new, ranges: manners)], opensAt: 0)
        #expect(outcome.disposition == .written(length: Self.old.length, isComplete: true), "\(outcome.ending)")
        #expect(try world.contentOfPartial() == Self.old.bytes())
    }

    /// Replaced at any time, by a server that also cuts connections and sends less than was requested.
    @Test(arguments: 0..<6 as Range<UInt64>, [false, true]) func versionsAreNeverJoined(seed: UInt64, shifts: Bool)
        throws
    {
        var chance = SeededChance(seed: seed)
        let change = Int.random(in: 0...6, using: &chance)
        let replies = (0..<40).map { visit in
            var manners = visit >= change && shifts ? Self.shifted : RangeManners()
            if Int.random(in: 0..<4, using: &chance) == 0 {
                manners.longestRange = Int64.random(in: 100_000...2_000_000, using: &chance)
            }
            let content = visit >= change && !shifts ? Self.new : Self.old
            let reply = Reply.file(content, etag: "\"v1\"", ranges: manners)
            guard Int.random(in: 0..<3, using: &chance) == 0 else { return reply }
            return reply.cut(after: Int64.random(in: 1...3_000_000, using: &chance))
        }
        let (world, outcome) = try fetch(
            replies, stalls: Int64.random(in: 1...4_000_000, using: &chance),
            opensAt: Int.random(in: 0...2, using: &chance))
        let isWhole = outcome.disposition == .written(length: Self.old.length, isComplete: true)
        let isOneVersion = try world.contentOfPartial() == Self.old.bytes()
        #expect(!isWhole || isOneVersion, "\(world.server.requests.map { $0.header("Range") ?? "all" })")
    }
}
