import TestSupport
import Testing

@testable import LonghaulCore

/// The decisions of a download over several connections, with servers of every kind.
@Suite struct SegmentMachineTests {
    private typealias World = SegmentMachineWorld

    private static let mebibyte: Int64 = 1 << 20
    private static let second: Int64 = 1_000_000_000

    private func world(
        _ length: Int64 = 16 << 20, segments: Int? = 4, isProven: Bool = false, mirrors: Int = 0,
        first: World.Manners = World.Manners(), seed: UInt64 = 1,
        server: @escaping (SegmentAction.Request, inout World) -> World.Manners = { _, _ in World.Manners() }
    ) throws -> World {
        let partial = World.partial(segments: segments, isProven: isProven, mirrors: mirrors)
        return try #require(World(total: length, partial, first: first, seed: seed, server: server))
    }

    private func isWhole(_ world: World) -> Bool {
        world.outcome?.disposition == .written(length: world.total, isComplete: true)
    }

    @Test func severalConnectionsFetchOneFile() throws {
        var world = try world()
        try world.run()
        #expect(isWhole(world) && world.mostWriting == 4)
        try world.checkWhole()
        #expect(world.requests.allSatisfy { $0.point.validators.entityTag == "\"v1\"" && $0.point.overlap == 4_096 })
    }

    /// The second connection gets half of the first one's range, and stops it there.
    @Test func helperStopsTheConnectionBeforeIt() throws {
        var world = try world(segments: 2)
        try world.run { $0.connections.values.count(where: \.isWriting) == 2 }
        let helper = try #require(world.connections.first { $0.key.isOfHelper }).value
        #expect(world.connections[World.first]?.end == helper.start)
        try world.run()
        #expect(isWhole(world))
    }

    @Test(arguments: [.new, .shifted] as [SegmentMachineWorld.Content]) func otherBytesEndTheDownload(
        content: SegmentMachineWorld.Content
    ) throws {
        var world = try world { _, _ in World.Manners(content: content) }
        try world.run()
        #expect(world.outcome?.disposition == .refused(.changed))
    }

    /// Its bytes differ where nothing is compared.
    @Test(arguments: [true, false]) func otherValidatorsEndTheDownload(honorsConditions: Bool) throws {
        var world = try world { _, _ in
            World.Manners(content: .sparse, tag: "\"v2\"", honorsConditions: honorsConditions)
        }
        try world.run()
        #expect(world.outcome?.disposition == .refused(.changed))
    }

    /// Helpers without a response: the first connection continues to the end.
    @Test func unansweredHelperCostsNothing() throws {
        var world = try world { _, _ in World.Manners(delay: 1_000_000) }
        try world.run()
        #expect(isWhole(world) && !world.requests.isEmpty)
    }

    @Test func lostRangeIsRequestedAgain() throws {
        var world = try world { _, world in World.Manners(breaksAfter: world.requests.count < 9 ? 500 : nil) }
        try world.run()
        #expect(isWhole(world) && world.requests.count >= 9)
        try world.checkWhole()
    }

    /// The first connection delivers no more bytes, and helpers take over its range.
    @Test func stalledConnectionIsReplaced() throws {
        var world = try world(first: World.Manners(stallsAfter: 100))
        try world.run(limit: 580)
        #expect(isWhole(world), "before the connection ends by its silence")
        try world.checkWhole()
    }

    /// Full for 20 seconds.
    @Test(arguments: [nil, 16] as [Int?], [false, true]) func refusedNumberGrowsAgain(segments: Int?, isBursty: Bool)
        throws
    {
        let manners = World.Manners(rate: 20, isBursty: isBursty)
        var world = try world(256 << 20, segments: segments, first: manners) { _, world in
            var manners = manners
            let isFull = world.connections.count >= 3
            if world.now < 20 * Self.second, isFull { manners.status = 503 }
            return manners
        }
        try world.run { $0.now > 20 * Self.second }
        #expect(world.connections.values.count(where: \.isWriting) <= 3)
        try world.run(limit: 4_000) { $0.connections.values.count(where: \.isWriting) >= 8 }
        #expect(world.outcome == nil)
    }

    @Test func failedSyncEndsTheDownload() throws {
        var world = try world(64 << 20, first: World.Manners(rate: 20)) { _, _ in World.Manners(rate: 20) }
        try world.run { $0.mostWriting == 4 }
        world.failingSyncs = 1
        try world.run()
        guard case .broke(let failure) = world.outcome?.ending else { throw Unexpected() }
        #expect(failure.code == .fileFailed)
    }

    @Test func cancellationKeepsTheMap() throws {
        var world = try world()
        try world.run { $0.mostWriting == 4 && $0.received > 8 << 20 }
        try world.handle(.cancelled)
        try world.run()
        #expect(world.outcome?.ending == .cancelled)
        #expect(world.reportedMap?.count == world.received)
    }

    /// Every second node has another entity tag. By 206, by the whole, and by 412.
    @Test(arguments: 0..<3) func digestOutweighsTheTagsOfNodes(how: Int) throws {
        var world = try world(isProven: true) { request, world in
            var manners = World.Manners(tag: "\"v\(world.requests.count % 2 + 1)\"", honorsConditions: how == 1)
            if how == 2, manners.tag != "\"v1\"", request.point.validators.entityTag != nil { manners.status = 412 }
            return manners
        }
        try world.run()
        #expect(isWhole(world) && world.mostWriting == 4)
        #expect(world.requests.contains { $0.point.validators.entityTag == nil })
        try world.checkWhole()
    }

    /// Validators of a file that is younger than two seconds do not distinguish versions yet.
    @Test func newFileIsSplitOnceItsAgeIsKnown() throws {
        let begin = World.Manners(rate: 20, age: 500)
        var world = try world(first: begin) { _, world in World.Manners(rate: 20, age: world.now / World.millisecond) }
        let start = world.now
        try world.run { !$0.requests.isEmpty }
        #expect(world.now - start >= 2 * Self.second && world.now - start < 4 * Self.second)
        #expect(world.requests.allSatisfy { $0.point.mustBeSettled && !$0.point.validators.isSoft })
        try world.run()
        #expect(isWhole(world) && world.mostWriting == 4)
        try world.checkWhole()
    }

    /// A node whose clock makes the file look new, or that omits the date.
    @Test(arguments: [1_000, 1_999] as [Int64]) func unsettledPartIsNotWritten(age: Int64) throws {
        var world = try world(first: World.Manners(age: 0)) { _, _ in World.Manners(content: .sparse, age: age) }
        try world.run()
        #expect(isWhole(world) && world.mostWriting == 1)
        try world.checkWhole()
    }

    @Test func mirrorWithOtherBytesIsDoneWithout() throws {
        var world = try world(32 << 20, mirrors: 2, first: World.Manners(rate: 40)) { request, _ in
            if case .mirror(let place) = request.source, place.url.contains("mirror0") {
                return World.Manners(content: .sparse, tag: "\"v2\"", honorsConditions: false)
            }
            return World.Manners(rate: 40)
        }
        try world.run()
        #expect(isWhole(world) && world.mostWriting >= 3)
        try world.checkWhole()
    }
}

/// Random servers, which break, refuse, shift bytes, and replace the file; and a process that dies.
@Suite struct SegmentMachineWalkTests {
    private typealias World = SegmentMachineWorld

    /// How often each kind of response occurs, in hundredths.
    private struct Weather {
        var trouble: Int
        /// When the file is replaced; its validators stay the same.
        var change: Int64
        var rate: Int64

        init(_ chance: inout SeededChance) {
            trouble = Int.random(in: 0...60, using: &chance)
            change =
                Bool.random(using: &chance) ? .max : Int64.random(in: 0...20_000, using: &chance) * World.millisecond
            rate = Int64.random(in: 5...200, using: &chance)
        }

        func manners(_ world: inout World) -> World.Manners {
            var manners = World.Manners(rate: Int64.random(in: max(rate / 4, 1)...rate, using: &world.chance))
            if world.now >= change { manners.content = .new }
            manners.isBursty = Int.random(in: 0..<8, using: &world.chance) == 0
            if Int.random(in: 0..<8, using: &world.chance) == 0 {
                manners.delay = Int64.random(in: 0...5_000, using: &world.chance)
            }
            guard Int.random(in: 0..<100, using: &world.chance) < trouble else { return manners }
            switch Int.random(in: 0..<9, using: &world.chance) {
            case 0, 1: manners.breaksAfter = Int64.random(in: 0...2_000, using: &world.chance)
            case 2: manners.status = [400, 403, 404, 416, 429, 500, 503].randomElement(using: &world.chance)
            case 3: manners.longest = Int64.random(in: 1...2_000, using: &world.chance)
            case 4: manners.honorsRange = false
            case 5: manners.stallsAfter = Int64.random(in: 0...2_000, using: &world.chance)
            case 6: manners.answers = false
            case 7: manners.content = .shifted
            default:
                (manners.content, manners.tag) = (.sparse, "\"v2\"")
                manners.honorsConditions = Bool.random(using: &world.chance)
            }
            return manners
        }
    }

    private func walk(_ chance: inout SeededChance, isProven: Bool, crashes: Bool) throws -> Bool {
        let weather = Weather(&chance)
        let total = Int64.random(in: 5_000...24_000, using: &chance) * World.unit
        let segments = [nil, 2, 4, 16].randomElement(using: &chance) ?? nil
        let partial = World.partial(
            segments: segments, isProven: isProven, mirrors: Int.random(in: 0...2, using: &chance))
        var first = World.Manners(rate: weather.rate)
        if Bool.random(using: &chance) { first.breaksAfter = Int64.random(in: 1...20_000, using: &chance) }
        let world = World(total: total, partial, first: first, seed: chance.next()) { _, world in
            var manners = weather.manners(&world)
            // The digest, which no one computes here, would find bytes of another version.
            if isProven { manners.content = .old }
            return manners
        }
        var run = try #require(world)
        run.failingSyncs = Int.random(in: 0...1, using: &chance) * 30
        for _ in 0..<6 {
            if crashes {
                let end = run.now + Int64.random(in: 0...15_000, using: &chance) * World.millisecond
                try run.run { $0.now >= end }
            } else {
                try run.run()
            }
            if run.outcome?.disposition == .written(length: total, isComplete: true) {
                try run.checkWhole()
                return true
            }
            if run.outcome?.disposition == .refused(.changed) { return false }
            guard try run.restart(first: weather.manners(&run)) else { return false }
        }
        return false
    }

    /// It ends whole and of one version, or it fails.
    @Test(arguments: [false, true], [false, true]) func versionsAreNeverJoined(isProven: Bool, crashes: Bool) throws {
        var whole = 0
        for seed in 0..<150 as Range<UInt64> {
            let isWhole = try SeededChance.walk(seed: seed) { try walk(&$0, isProven: isProven, crashes: crashes) }
            whole += isWhole ? 1 : 0
        }
        #expect(whole > 30)
    }
}
