import Glibc
import LonghaulCore
import LonghaulCurl
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

/// File systems that are not like the one at hand: without O_DIRECT, or unable to reserve room.
@Suite(.enabled(if: geteuid() == 0, "mounting a file system needs root"))
struct OtherFileSystemTests {
    private static let content = Content(seed: 7, length: 12 << 20)

    @Test func whatCannotBeWrittenPastThePageCacheIsWrittenThroughIt() throws {
        let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\""))])
        let volume = try SmallVolume(in: world.directory, type: "ramfs")
        var plan = world.download("/f")
        plan.sink = .partial(PartialPlan(path: volume.path + "/f.part", resume: nil, digests: [.sha256]))
        let outcome = try world.exchange(plan)
        #expect(outcome.disposition == .written(length: Self.content.length, isComplete: true), "\(outcome)")
        #expect(try readAll(volume.path + "/f.part") == Self.content.bytes())
    }

    /// Its room is taken by another file while the body is on its way.
    @Test(arguments: [BodyPathRule(), .libcurl, .writer]) func aDiskThatFillsUpInTheMiddleKeepsWhatFitted(
        rule: BodyPathRule
    ) throws {
        try EachPath.$rule.withValue(rule) {
            let gate = Gate()
            let world = try World(["/f": Route(.file(Self.content, etag: "\"v1\"").stalled(after: 6 << 20, by: gate))])
            let volume = try ImageVolume(in: world.directory, size: 20 << 20)
            let path = volume.path + "/f.part"
            var plan = world.download("/f")
            plan.sink = .partial(PartialPlan(path: path, resume: nil, digests: []))
            let ticket = world.start(.exchange(plan))
            try gate.waitForArrivals()
            world.waitUntilReceived(6 << 20, ticket)
            try volume.fillUp()
            gate.open()
            let outcome = try world.outcome(of: ticket)
            let kept = try readAll(path)
            #expect(outcome.failure?.code == .diskFull, "\(outcome)")
            #expect(outcome.disposition == .written(length: Int64(kept.count), isComplete: false))
            #expect(kept == Self.content.bytes(0..<Int64(kept.count)) && kept.count < Self.content.length)
            try volume.makeRoom()
            world.server.setRoute("/f", .file(Self.content, etag: "\"v1\""))
            var second = world.download("/f", resume: .at(Int64(kept.count)))
            second.sink = .partial(PartialPlan(path: path, resume: .at(Int64(kept.count)), digests: []))
            #expect(
                try world.exchange(second).disposition == .written(length: Self.content.length, isComplete: true))
            #expect(try readAll(path) == Self.content.bytes())
        }
    }
}

private final class SmallVolume {
    let path: String

    init(in directory: TemporaryDirectory, type: String = "tmpfs", size: Int? = nil) throws {
        path = directory.path("volume")
        try directory.makeDirectory("volume")
        guard mount("none", path, type, 0, size.map { "size=\($0)" } ?? "") == 0 else { throw Unexpected() }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}

/// A file system in a file, of a kind that cannot reserve room beforehand.
private final class ImageVolume {
    let path: String

    init(in directory: TemporaryDirectory, size: Int) throws {
        path = directory.path("volume")
        try directory.makeDirectory("volume")
        let image = directory.path("image")
        let file = creat(image, 0o600)
        guard file >= 0, ftruncate(file, off_t(size)) == 0, close(file) == 0 else { throw Unexpected() }
        try Self.run("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^extent,^64bit,^has_journal", image)
        try Self.run("mount", "-o", "loop", image, path)
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    /// Leaves no room at all.
    func fillUp() throws {
        let file = open(path + "/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Unexpected() }
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(file, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw Unexpected() }
    }

    func makeRoom() throws {
        guard unlink(path + "/other") == 0 else { throw Unexpected() }
    }

    private static func run(_ words: String...) throws {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, words[0], nil, nil, &arguments, environ) == 0 else { throw Unexpected() }
        var status: Int32 = 0
        guard waitpid(child, &status, 0) == child, status == 0 else { throw Unexpected() }
    }
}
