import Glibc
import LonghaulCore

/// A small file system of one test. It is unmounted when the value is released.
package final class SmallVolume {
    package enum Kind: String, Sendable {
        case tmpfs
        /// Without a size limit, and without O_DIRECT.
        case ramfs
        /// In a file, written past the page cache, and unable to reserve space: ext4 without extents.
        case image
        /// In a sparse file.
        case fat
    }

    /// Whether the kernel supports FAT with long names.
    package static var knowsFAT: Bool {
        guard let file = fopen("/proc/filesystems", "re") else { return false }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let count = fread(&buffer, 1, buffer.count, file)
        return isRoot && String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").contains("\tvfat")
    }

    private static var isRoot: Bool { geteuid() == 0 }

    package let path: String
    /// It must outlive the mount inside it.
    private let home: TemporaryDirectory

    /// Why it cannot be created here; `nil` if it can.
    package static var missing: String? { isRoot ? canMount : "only root can mount" }

    private static let canMount: String? = {
        do {
            let home = try TemporaryDirectory()
            for kind in [.tmpfs, .image] as [Kind] {
                _ = try SmallVolume(kind, in: home, kind.rawValue, bytes: 4 << 20)
            }
            return nil
        } catch {
            return "no file system can be made and mounted here: \(error)"
        }
    }()

    package init(_ kind: Kind, in home: TemporaryDirectory, _ name: String, bytes: Int) throws {
        self.home = home
        path = home.path(name)
        try home.makeDirectory(name)
        switch kind {
        case .tmpfs, .ramfs:
            guard mount("none", path, kind.rawValue, 0, kind == .tmpfs ? "size=\(bytes)" : "") == 0 else {
                throw TransferFailure(.fileFailed, "cannot mount \(kind)", origin: .system(Int(errno)))
            }
        case .image:
            let image = path + ".image"
            try Self.run(
                "/sbin/mkfs.ext4", "-q", "-b", "4096", "-m", "0", "-O", "^extent,^64bit,^has_journal", image,
                "\(bytes >> 10)k")
            try Self.run("/bin/mount", "-o", "loop", image, path)
        case .fat:
            let image = path + ".image"
            try Self.run("/usr/sbin/mkfs.vfat", "-F", "32", "-C", image, "\(bytes >> 10)")
            try Self.run("/bin/mount", "-o", "loop,uid=4242,umask=000", image, path)
        }
    }

    deinit { umount2(path, Int32(MNT_DETACH)) }

    package func makeReadOnly() throws {
        guard mount(nil, path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else { throw Self.failure }
    }

    /// Limits the number of files and directories of a tmpfs, with its root.
    package func limitInodes(to count: Int) throws {
        guard mount(nil, path, nil, UInt(MS_REMOUNT), "nr_inodes=\(count)") == 0 else { throw Self.failure }
    }

    /// Fills all free space.
    package func fillUp() throws {
        let file = open(path + "/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure }
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(file, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw Self.failure }
    }

    package func makeRoom() throws {
        guard unlink(path + "/other") == 0 else { throw Self.failure }
    }

    private static var failure: TransferFailure {
        TransferFailure(.fileFailed, "a small volume", origin: .system(Int(errno)))
    }

    private static func run(_ program: String, _ arguments: String...) throws {
        let result: ProgramCall.Result = try ProgramCall(program, arguments).run()
        guard result.ending == .exited(0) else { throw TransferFailure(.fileFailed, result.errorOutput) }
    }
}
