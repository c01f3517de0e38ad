import Glibc
import LonghaulSystem
import TestSupport
import Testing

struct PrivateFileTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
    }

    private func permissions(_ name: String) throws -> UInt32 { try FileStatus(of: scratch.path(name)).permissions }

    @Test func replacedFileIsPrivate() throws {
        try scratch.write([1], to: "jar")
        try Files.setPermissions(0o644, of: scratch.path("jar"))
        try PrivateFile(scratch.path("jar")).replace(with: [2, 3])
        #expect(try scratch.read("jar") == [2, 3] && permissions("jar") == 0o600)
        #expect(scratch.names() == ["jar"])
    }

    @Test(arguments: [true, false]) func linkStaysAndItsTargetIsReplaced(exists: Bool) throws {
        try scratch.makeDirectory("real")
        if exists { try scratch.write([1], to: "real/jar") }
        #expect(
            symlink("real/jar", scratch.path("second")) == 0
                && symlink(scratch.path("second"), scratch.path("first")) == 0)
        try PrivateFile(scratch.path("first")).replace(with: [2])
        #expect(try scratch.read("real/jar") == [2] && permissions("real/jar") == 0o600)
        for name in ["first", "second"] {
            #expect(try FileStatus(of: scratch.path(name), followsLinks: false).kind == .link)
        }
        #expect(scratch.names() == ["first", "real", "second"] && scratch.names("real") == ["jar"])
    }

    /// A killed process left it with the permissions of its umask.
    @Test func draftOfKilledProcessIsReused() throws {
        try scratch.write([UInt8](repeating: 9, count: 100), to: ".jar.longhaul-1")
        try Files.setPermissions(0o666, of: scratch.path(".jar.longhaul-1"))
        try PrivateFile(scratch.path("jar")).replace(with: [2])
        #expect(try scratch.read("jar") == [2] && permissions("jar") == 0o600 && scratch.names() == ["jar"])
    }

    @Test func foreignDraftsAreNotOverwritten() throws {
        let other = try Descriptor(opening: scratch.path(".jar.longhaul-1"), [.both, .making])
        try #require(try other.tryLock())
        try other.write([7])
        #expect(symlink("victim", scratch.path(".jar.longhaul-2")) == 0)
        try scratch.write([8], to: "hardlink")
        #expect(link(scratch.path("hardlink"), scratch.path(".jar.longhaul-3")) == 0)
        try PrivateFile(scratch.path("jar")).replace(with: [2])
        #expect(
            try scratch.read("jar") == [2] && scratch.read(".jar.longhaul-1") == [7] && scratch.read("hardlink") == [8])
        #expect(!scratch.exists("victim"))
    }

    @Test func specialFileIsNotReplaced() throws {
        try scratch.makeDirectory("directory")
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        #expect(symlink("circle", scratch.path("circle")) == 0)
        for (name, number) in [("directory", EISDIR), ("pipe", EINVAL), ("circle", ELOOP), ("none/jar", ENOENT)] {
            #expect(throws: SystemError(number), "\(name)") { try PrivateFile(scratch.path(name)).replace(with: [2]) }
        }
        let null = PrivateFile("/dev/null")
        try null.replace(with: [2])
        #expect(null.isNull && Files.kind("/dev/null") == .device)
        #expect(scratch.names() == ["circle", "directory", "pipe"])
    }

    @Test(.enabled(if: SmallVolume.missing == nil, "\(SmallVolume.missing ?? "")"))
    func fullDiskKeepsOldContent() throws {
        let volume = try SmallVolume(.tmpfs, in: scratch, "volume", bytes: 64 << 10)
        let path = volume.path + "/jar"
        try PrivateFile(path).replace(with: [1])
        #expect(throws: SystemError.noSpace) {
            try PrivateFile(path).replace(with: [UInt8](repeating: 2, count: 1 << 20))
        }
        #expect(try scratch.read("volume/jar") == [1] && scratch.names("volume") == ["jar"])
    }
}
