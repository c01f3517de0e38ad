import Glibc
import LonghaulCore
import TestSupport
import Testing

/// A disk without room is something to wait for.
@Suite struct DiskFullTests {
    @Test(.enabled(if: TinyDisk.missing == nil, "\(TinyDisk.missing ?? "")"))
    func aDownloadWaitsForRoomAndGoesOnWhenThereIsSome() async throws {
        let product = try Product()
        let disk = try TinyDisk(at: product.home, "work/disk", mebibytes: 8)
        let content = Content(seed: 16, length: 6 << 20)
        let server = try NastyServer(routes: ["/a": Route(.file(content, etag: "\"v1\""))])
        try product.home.write(Content(seed: 1, length: 5 << 20), to: "work/disk/ballast")
        let id = try await product.succeed("download", "--detach", "-d", "disk", server.url("/a"))
        let facts = try await product.wait(for: id, "a reason") { $0["state"] == "waiting" && $0["reason"] != "turn" }
        #expect(facts["reason"] == "diskSpace" && facts["code"] == "diskFull")
        #expect(facts["until"] != nil)
        unlink(product.home.path("work/disk/ballast"))
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/disk/a") == content.bytes())
        #expect(product.home.names("work/disk") == ["a"])
        withExtendedLifetime(disk) {}
    }

    /// On a file system that cannot reserve room the disk fills while bytes come, here past the page cache and straight
    /// from the connection.
    @Test(.enabled(if: OldDisk.missing == nil, "\(OldDisk.missing ?? "")"))
    func aDiskThatFillsInTheMiddleKeepsWhatIsThere() async throws {
        let gate = Gate()
        let product = try Product()
        let disk = try OldDisk(at: product.home, "work/disk", mebibytes: 16)
        let content = Content(seed: 17, length: 10 << 20)
        let reply = Reply.file(content, etag: "\"v1\"")
        let server = try NastyServer(
            routes: ["/a": .first(1, reply.stalled(after: 5 << 20, by: gate), then: reply)])
        let id = try await product.succeed("download", "--detach", "-d", "disk", server.url("/a"))
        try await product.wait(for: id, "half of it") { Int64($0["bytesDone"] ?? "0") ?? 0 > 4 << 20 }
        try product.home.write(Content(seed: 2, length: 8 << 20), to: "work/disk/ballast")
        gate.open()
        let facts = try await product.wait(for: id, "a reason") { $0["state"] == "waiting" && $0["reason"] != "turn" }
        #expect(facts["reason"] == "diskSpace" && facts["code"] == "diskFull")
        unlink(product.home.path("work/disk/ballast"))
        try await product.succeed("retry", id)
        try await product.succeed("watch", id)
        #expect(try product.home.read("work/disk/a") == content.bytes())
        let start = server.requests.last?.header("Range").flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0
        #expect(start > 4 << 20, "what had come was kept: \(start)")
        withExtendedLifetime(disk) {}
    }
}

/// An ext2 of a few mebibytes in a file: it cannot reserve room, and writes past the page cache.
private final class OldDisk {
    private let path: String
    /// It must outlive the mount inside it.
    private let home: TemporaryDirectory

    static var missing: String? { geteuid() == 0 ? canMount : "only root can mount" }

    private static let canMount: String? = {
        guard let home = try? TemporaryDirectory() else { return "no directory" }
        return (try? OldDisk(at: home, "disk", mebibytes: 1)) == nil ? "no ext2 can be made and mounted here" : nil
    }()

    init(at home: TemporaryDirectory, _ name: String, mebibytes: Int) throws {
        try home.makeDirectory(name)
        self.home = home
        path = home.path(name)
        let image = home.path("disk.image")
        try Self.run("/sbin/mkfs.ext2", "-q", "-b", "4096", "-m", "0", image, "\(mebibytes)m")
        try Self.run("/bin/mount", "-o", "loop", image, path)
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    private static func run(_ program: String, _ arguments: String...) throws {
        let result: ProgramCall.Result = try ProgramCall(program, arguments).run()
        guard result.ending == .exited(0) else { throw TransferFailure(.fileFailed, result.errorOutput) }
    }
}

/// A file system of a few mebibytes in memory.
private final class TinyDisk {
    private let path: String
    /// It must outlive the mount inside it.
    private let home: TemporaryDirectory

    static var missing: String? { geteuid() == 0 ? canMount : "only root can mount" }

    private static let canMount: String? = {
        guard let place = try? TemporaryDirectory() else { return "no directory" }
        guard mount("tmpfs", place.path, "tmpfs", 0, "size=1m") == 0 else { return "mounting is not allowed here" }
        // The directory is removed when it is let go, which must not be before.
        return withExtendedLifetime(place) {
            umount2(place.path, Int32(MNT_DETACH)) == 0 ? nil : "unmounting is not allowed here"
        }
    }()

    init(at home: TemporaryDirectory, _ name: String, mebibytes: Int) throws {
        try home.makeDirectory(name)
        self.home = home
        path = home.path(name)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else {
            throw TransferFailure(.fileFailed, "cannot mount", origin: .system(Int(errno)))
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
