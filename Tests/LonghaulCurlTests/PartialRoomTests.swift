import Glibc
import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulCurl

/// How a partial file comes to its room on the disk.
@Suite(.onEachPath) struct PartialRoomOfDownloadsTests {
    private static let content = Content(seed: 4, length: 64 << 20)

    private func allocated(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    @Test func aSlowDownloadTakesRoomAsItsBytesCome() throws {
        let gate = Gate()
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"").stalled(after: 6 << 20, by: gate))])
        let ticket = world.start(.exchange(world.download("/f")))
        try gate.waitForArrivals()
        world.waitUntilReceived(6 << 20, ticket)
        #expect(allocated(world.partial) <= 16 << 20)
        gate.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
        #expect(allocated(world.partial) <= Self.content.length + 1 << 20)
    }
}

/// Two downloads do not count on the same free bytes.
@Suite(.onEachTransport, .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
struct PromisedVolumeTests {
    @Test func whatAnotherDownloadWasPromisedIsNotFree() throws {
        let gate = Gate()
        let content = Content(seed: 5, length: 10 << 20)
        let world = try World([
            "/slow": Route(.file(content, etag: "\"v1\"").stalled(after: 2 << 20, by: gate)),
            "/other": Route(.file(content, etag: "\"v1\"")),
        ])
        let volume = try SmallVolume(.tmpfs, in: world.directory, "volume", bytes: 16 << 20)
        func plan(_ path: String) -> ExchangePlan {
            var plan = world.download(path)
            plan.sink = .partial(PartialPlan(path: volume.path + path + ".part", resume: nil, digests: []))
            return plan
        }
        let slow = world.start(.exchange(plan("/slow")))
        try gate.waitForArrivals()
        world.waitUntilReceived(2 << 20, slow)
        #expect(try world.exchange(plan("/other")).failure?.code == .diskFull)
        gate.open()
        #expect(try world.outcome(of: slow).disposition == .written(length: content.length, isComplete: true))
        #expect(unlink(volume.path + "/slow.part") == 0)
        // The volume has the bytes of a file until its last descriptor is closed, which may be a moment after its end was told.
        let deadline = ContinuousClock.now + .patience
        var other = try world.exchange(plan("/other"))
        while other.failure?.code == .diskFull, ContinuousClock.now < deadline {
            other = try world.exchange(plan("/other"))
        }
        #expect(other.disposition == .written(length: content.length, isComplete: true))
    }
}

@Suite struct PartialRoomTests {
    private let room = PromisedRoom()

    private func promise(from start: Int64, to end: Int64, taken: Int64 = 0, free: Int64?) -> PartialRoom? {
        PartialRoom(room, device: 1, start: start, end: end, taken: taken, free: { free })
    }

    @Test func roomIsTakenInStepsThatDouble() throws {
        var partial = try #require(promise(from: 0, to: 1 << 30, free: nil))
        var steps: [Int64] = []
        var offset: Int64 = 1
        while let step = partial.step(before: offset) {
            steps.append((step.upperBound - step.lowerBound) >> 20)
            partial.note(takenTo: step.upperBound)
            #expect(partial.step(before: step.upperBound) == nil)
            offset = min(step.upperBound + 1, 1 << 30)
        }
        #expect(steps == [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256])
    }

    @Test func aLongWriteIsCoveredByOneStepAndNoneGoesBeyondTheEnd() throws {
        let partial = try #require(promise(from: 100, to: 20 << 20, free: nil))
        #expect(partial.step(before: 9 << 20) == 100..<(9 << 20))
        #expect(partial.step(before: 20 << 20) == 100..<(20 << 20))
    }

    @Test func promisesAddUpAndComeBack() throws {
        var first = try #require(promise(from: 0, to: 60, free: 100))
        #expect(promise(from: 0, to: 60, free: 100) == nil)
        // What was taken is not promised any more, and not free either.
        first.note(takenTo: 50)
        #expect(promise(from: 0, to: 60, free: 50) == nil)
        var second = try #require(promise(from: 0, to: 40, free: 50))
        first.letGo()
        second.letGo()
        #expect(promise(from: 0, to: 100, free: 100) != nil)
        #expect(promise(from: 0, to: .max, free: .max) == nil, "no sum goes beyond what a number can be")
    }

    @Test func whatTheFileHoldsAlreadyIsNotPromised() throws {
        #expect(promise(from: 10, to: 100, taken: 90, free: 10) != nil)
        #expect(promise(from: 10, to: 20, taken: 500, free: 0) == nil, "the earlier promise stands")
    }
}
