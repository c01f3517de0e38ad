import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A small file system of its own, which only root can mount.
@Suite(.enabled(if: geteuid() == 0, "mounting a small file system needs root"), .onEachPath)
struct DiskFullTests {
    private func downloaded(_ reply: Reply) throws -> (ExchangeOutcome, exists: Bool, length: Int64) {
        let world = try World(["/f": Route(reply)])
        let volume = try SmallVolume(in: world.directory, size: 2 << 20)
        var plan = world.download("/f")
        plan.sink = .partial(PartialPlan(path: volume.path + "/f.part", resume: nil, digests: []))
        let outcome = try world.exchange(plan)
        var status = stat()
        let exists = stat(volume.path + "/f.part", &status) == 0
        return (outcome, exists, Int64(status.st_size))
    }

    @Test func aKnownLengthThatDoesNotFitIsRefusedBeforeTheFirstByte() throws {
        let (outcome, _, length) = try downloaded(.file(Content(seed: 1, length: 8 << 20)))
        #expect(outcome.failure?.code == .diskFull && length == 0)
    }

    @Test func whatFittedIsKept() throws {
        let (outcome, exists, length) = try downloaded(.file(Content(seed: 1, length: 8 << 20)).framed(.chunked))
        #expect(outcome.failure?.code == .diskFull && exists && length > 1 << 20)
        #expect(outcome.disposition == .written(length: length, isComplete: false))
    }
}

private final class SmallVolume {
    let path: String

    init(in directory: TemporaryDirectory, size: Int) throws {
        path = directory.path("volume")
        try directory.makeDirectory("volume")
        guard mount("none", path, "tmpfs", 0, "size=\(size)") == 0 else { throw Unexpected() }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
