import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file with secrets that the user named, such as a cookie jar. It is replaced as a whole: after a crash or a failed write, it has either
/// the old or the new content. Only its owner can read what is written. A symbolic link stays, and its target is replaced.
package struct PrivateFile: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Whether the file is `/dev/null`, which discards what is written and is never replaced.
    package var isNull: Bool {
        guard let null = Files.identity("/dev/null") else { return false }
        return Files.identity(path) == null
    }

    /// Fails if the file exists and is not a readable and writable regular file. It must be replaceable in `directory` too, and only a
    /// write finds a full disk.
    package func check() throws(SystemError) {
        guard !isNull, let kind = try kind else { return }
        guard kind != .directory else { throw SystemError(EISDIR) }
        guard kind == .regular else { throw .invalid }
        try Files.check([.read, .write], path)
    }

    /// The directory of the file, or of the target of its symbolic link.
    package var directory: String {
        get throws(SystemError) { Directory.of(try target) }
    }

    package func replace(with bytes: [UInt8]) throws(SystemError) {
        try check()
        if isNull { return }
        let target = try target
        let (draft, name) = try openDraft(of: target)
        do throws(SystemError) {
            try draft.write(bytes)
            try draft.sync()
            // Some file systems report a full disk only then.
            try draft.finish()
            try Files.rename(name, to: target)
        } catch {
            Files.discard(name)
            throw error
        }
        // Without this sync, the old content may return after a power failure.
        _ = try? Directory.sync(Directory.of(target))
    }

    /// The kind of the file; `nil` if it is missing. The system follows the link and may refuse another user's link in a shared directory.
    private var kind: FileStatus.Kind? {
        get throws(SystemError) {
            do throws(SystemError) {
                return try FileStatus(of: path).kind
            } catch .missing {
                return nil
            }
        }
    }

    /// The path at the end of the symbolic links, which need not exist.
    private var target: String {
        get throws(SystemError) {
            var path = path
            // The kernel's limit.
            for _ in 0..<40 {
                guard let link = Files.linkTarget(path) else { return path }
                path = link.hasPrefix("/") ? link : Directory.of(path) + "/" + link
            }
            throw SystemError(ELOOP)
        }
    }

    /// Opens an empty file beside the target. Its name is fixed, so that the next write reuses the file of a killed process. While another
    /// process writes the same target and holds the lock, the next name is used.
    private func openDraft(of target: String) throws(SystemError) -> (Descriptor, name: String) {
        let name = String(target[(target.lastIndex(of: "/") ?? target.startIndex)...].drop { $0 == "/" }.prefix(40))
        var refusal = SystemError.wouldBlock
        for number in 1...Self.drafts {
            let path = Directory.of(target) + "/.\(name).longhaul-\(number)"
            do throws(SystemError) {
                let file = try Descriptor(opening: path, [.both, .making, .noLink, .atOnce])
                // A file system without locks refuses them.
                guard (try? file.tryLock()) != false else { continue }
                let status = try file.status()
                // Another process may have renamed or deleted the file before it was locked. Another user may have left it as a trap.
                guard status.kind == .regular, status.owner == ThisProcess.effectiveUser, status.linkCount == 1,
                    Files.identity(path, followsLinks: false) == status.identity
                else { continue }
                // Before the first byte: a killed process or the umask may have left other permissions.
                try file.setPermissions(0o600)
                try file.truncate(to: 0)
                return (file, path)
            } catch {
                refusal = error
            }
        }
        throw refusal
    }

    private static let drafts = 8
}
