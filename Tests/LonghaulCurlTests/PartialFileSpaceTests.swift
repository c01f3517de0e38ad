import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The allocation of space for a partial file.
@Suite(.onEachPath) struct DownloadSpaceTests {
    private static let content = Content(seed: 4, length: 32 << 20)

    private func allocated(_ path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    @Test func slowDownloadReservesRoomAsBytesArrive() throws {
        let latch = Latch()
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"").stalled(after: 6 << 20, by: latch))])
        let ticket = world.start(.exchange(world.download("/f")))
        try latch.waitForArrivals()
        world.waitUntilReceived(6 << 20, ticket)
        #expect(allocated(world.partial) <= 16 << 20)
        latch.open()
        let outcome = try world.outcome(of: ticket)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true))
        #expect(try world.contentOfPartial() == Self.content.bytes())
        #expect(allocated(world.partial) <= Self.content.length + 1 << 20)
    }
}

/// Two downloads do not count on the same free bytes.
@Suite(.onEachTransport, .enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
struct SharedVolumeTests {
    @Test func reservedSpaceIsNotFree() throws {
        let latch = Latch()
        let content = Content(seed: 5, length: 10 << 20)
        let world = try World([
            "/slow": Route(.file(content, etag: "\"v1\"").stalled(after: 2 << 20, by: latch)),
            "/other": Route(.file(content, etag: "\"v1\"")),
        ])
        let volume = try SmallVolume(.tmpfs, in: world.directory, "volume", bytes: 16 << 20)
        func plan(_ path: String) -> ExchangePlan {
            var plan = world.download(path)
            plan.sink = .partial(PartialPlan(path: volume.path + path + ".part", resume: nil, digests: []))
            return plan
        }
        let slow = world.start(.exchange(plan("/slow")))
        try latch.waitForArrivals()
        world.waitUntilReceived(2 << 20, slow)
        #expect(try world.exchange(plan("/other")).failure?.code == .diskFull)
        latch.open()
        #expect(try world.outcome(of: slow).disposition == .written(length: content.length, isComplete: true))
        #expect(unlink(volume.path + "/slow.part") == 0)
        // The volume holds the bytes of a file until its last descriptor is closed, which may be a moment after its end was reported.
        let deadline = ContinuousClock.now + .patience
        var other = try world.exchange(plan("/other"))
        while other.failure?.code == .diskFull, ContinuousClock.now < deadline {
            other = try world.exchange(plan("/other"))
        }
        #expect(other.disposition == .written(length: content.length, isComplete: true))
    }
}
