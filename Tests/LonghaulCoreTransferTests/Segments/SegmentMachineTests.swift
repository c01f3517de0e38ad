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

    @Test(arguments: [.new, .shifted] as [SegmentMachineWorld.Content]) func otherBytesLeaveThoseOfTheFirstConnection(
        content: SegmentMachineWorld.Content
    ) throws {
        var world = try world { _, _ in World.Manners(content: content) }
        try world.run()
        guard case .partsDiffer(let length) = world.outcome?.disposition else { throw Unexpected() }
        #expect(length > 0 && world.reportedMap == SegmentMap([0..<length]))
        #expect(
            world.bytes(0..<length) == (0..<length / World.unit).flatMap { World.bytes(World.Content.old.unit($0)) })
    }

    /// Another response with such a tag cannot prove that it continues the bytes.
    @Test func otherBytesWithTagOfDateAndLengthLeaveNothing() throws {
        let tag = "\"6553f100-1000000\""
        var world = try world(first: World.Manners(tag: tag)) { _, _ in World.Manners(content: .shifted, tag: tag) }
        try world.run()
        #expect(world.outcome?.disposition == .partsDiffer(length: 0))
    }

    /// Its bytes differ where nothing is compared.
    @Test(arguments: [true, false]) func otherValidatorsConcernOnlyTheirConnection(honorsConditions: Bool) throws {
        var world = try world { _, _ in
            World.Manners(content: .sparse, tag: "\"v2\"", honorsConditions: honorsConditions)
        }
        try world.run()
        #expect(isWhole(world) && !world.requests.isEmpty)
        try world.checkWhole()
    }

    /// Pages, and responses of another version, to all further requests.
    @Test(arguments: [nil, 4] as [Int?]) func pageConcernsOnlyItsConnection(segments: Int?) throws {
        var world = try world(64 << 20, segments: segments, first: World.Manners(rate: 20)) { _, _ in
            World.Manners(isPage: true)
        }
        try world.run()
        #expect(isWhole(world) && !world.requests.isEmpty && world.requests.count <= 16)
        try world.checkWhole()
    }

    /// No connection is left when the first one breaks: the next attempt decides, with one connection.
    @Test func refusedConnectionsEndTheAttempt() throws {
        var world = try world(first: World.Manners(breaksAfter: 8_000)) { _, _ in World.Manners(isPage: true) }
        try world.run()
        guard case .broke(let failure) = world.outcome?.ending else { throw Unexpected() }
        #expect(failure.code == .connectionLost && world.outcome?.refusesParts == true)
    }

    /// Blocks that are alike where ranges meet.
    @Test(arguments: [true, false]) func someBlocksAreComparedIfTheTagIsOfDateAndLength(isOfDateAndLength: Bool) throws
    {
        let tag = isOfDateAndLength ? "\"6553f100-2000000\"" : "\"v1\""
        var world = try world(32 << 20, first: World.Manners(tag: tag)) { request, world in
            World.Manners(content: world.checks == 0 && request.point.overlap == 0 ? .sparse : .old, tag: tag)
        }
        try world.run()
        #expect(world.checks == (isOfDateAndLength ? 1 : 0))
        if isOfDateAndLength {
            #expect(world.outcome?.disposition == .partsDiffer(length: 0))
        } else {
            #expect(isWhole(world))
        }
    }

    @Test(arguments: [403, 200, 416]) func serverWithoutSeveralRangesLeavesTheFileUnchecked(status: Int) throws {
        let tag = "\"6553f100-2000000\""
        var world = try world(32 << 20, first: World.Manners(tag: tag)) { request, _ in
            World.Manners(tag: tag, status: request.point.overlap == 0 ? status : nil)
        }
        try world.run()
        #expect(isWhole(world) && (1...2).contains(world.checks))
        try world.checkWhole()
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

/// Random servers that break connections, refuse requests, shift bytes, and replace the file; and a process that crashes.
/// Long walks have a separate thread: on two cores, they would keep other tests from Swift's two threads.
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
    @Test(.serialized, arguments: [false, true], [false, true])
    func versionsAreNeverJoined(isProven: Bool, crashes: Bool) async throws {
        let whole = try await aside {
            try (0..<150 as Range<UInt64>).count { seed in
                try SeededChance.walk(seed: seed) { try walk(&$0, isProven: isProven, crashes: crashes) }
            }
        }
        #expect(whole > 30)
    }

    /// `LONGHAUL_TEST_SCHEDULES` sets the number of schedules.
    private static let schedules = Tools.environment["LONGHAUL_TEST_SCHEDULES"].flatMap(Int.init) ?? 1_000

    /// Each server has a share of the schedules. Its versions differ in every block.
    @Test(.serialized, arguments: HostileServer.Kind.allCases)
    func hostileServerLeadsToTheFileOrToAFailure(kind: HostileServer.Kind) async throws {
        let count = max(Self.schedules / HostileServer.Kind.allCases.count, 1)
        let succeeded = try await aside {
            try (0..<UInt64(count)).count { seed in
                try SeededChance.walk(seed: seed) { chance in
                    var download = HostileDownload(kind, seed: chance.next())
                    return try download.run()
                }
            }
        }
        print("\(kind): \(succeeded) of \(count) schedules succeed without a retry by the user")
        let mayFail: Set<HostileServer.Kind> = [.oneTime, .slices, .datedSlices]
        #expect(succeeded == count || mayFail.contains(kind) && succeeded > 0)
    }

    /// A helper that takes over from a connection without a response may receive its own first.
    @Test(arguments: [(.silence, 4263), (.slicesWithRange, 6050)] as [(HostileServer.Kind, UInt64)])
    func helperWithTheFirstResponseKeepsItsRange(kind: HostileServer.Kind, seed: UInt64) throws {
        let isGood = try SeededChance.walk(seed: seed) { chance in
            var download = HostileDownload(kind, seed: chance.next())
            return try download.run()
        }
        #expect(isGood)
    }
}
