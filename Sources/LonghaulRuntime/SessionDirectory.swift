import CLinux
package import LonghaulCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A session's directory while this process owns it.
///
/// Ownership is an open-file-description lock: the kernel drops it when the process dies, however it dies.
package final class SessionDirectory {
    package let layout: SessionLayout
    private var lock: SessionLock

    /// Makes the directory where it is missing and takes the lock. Fails with `sessionInUse` while another process has it.
    package convenience init(_ layout: SessionLayout) throws(TransferFailure) {
        try self.init(layout, Self.takeLock(layout))
    }

    /// The session whose lock the caller has taken; it is dropped with this value.
    package init(_ layout: SessionLayout, _ lock: SessionLock) throws(TransferFailure) {
        self.layout = layout
        self.lock = lock
        for directory in [layout.directory, layout.staged] { try Self.make(directory) }
    }

    /// Makes the directories again that somebody took away, and takes the lock that others find there.
    func restore() throws(TransferFailure) {
        for directory in [layout.directory, layout.staged] { try Self.make(directory) }
        if !lock.isCurrent { lock = try Self.takeLock(layout) }
    }

    /// What a session is that another process runs.
    package static func inUse(_ layout: SessionLayout) -> TransferFailure {
        TransferFailure(
            .sessionInUse,
            "The session is run by another process, which holds the lock on \(layout.lock). Close that one first.",
            origin: .system(Int(EAGAIN)))
    }

    private static func takeLock(_ layout: SessionLayout) throws(TransferFailure) -> SessionLock {
        while true {
            try make(layout.directory)
            let lock = try SessionLock(layout)
            guard try lock.take() else { throw inUse(layout) }
            // A directory that was replaced between the two calls has another lock.
            if lock.isCurrent { return lock }
        }
    }

    /// Whether the path is that of a staged body of this session: the only sources deleted at a transfer's end. What
    /// leads to the session may be spelled in another way by the client.
    package func isStaged(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, let name = parts.last, !["", ".", ".."].contains(name) else { return false }
        return parts.dropLast().suffix(2).elementsEqual(layout.staged.split(separator: "/").suffix(2))
    }

    /// The paths of the staged bodies that are there.
    package func stagedBodies() -> [String] {
        names(in: layout.staged).map { "\(layout.staged)/\($0)" }
    }

    /// Whether a staged body has been nobody's for some time: a writer holds a lock on its file, but takes it a moment
    /// after making it.
    package static func isAbandoned(_ path: String, at now: WallTime) -> Bool {
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, longhaul_lock_is_held(file) == 0 else { return false }
        return now - WallTime(seconds: Int64(status.st_mtim.tv_sec)) > .seconds(60)
    }

    /// Deletes a staged body unless somebody holds it.
    package static func discardStagedBody(_ path: String) {
        let file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        if longhaul_lock_exclusive(file) == 0 { unlink(path) }
        close(file)
    }

    /// Makes a directory and its parents for this user alone.
    package static func make(_ path: String) throws(TransferFailure) {
        var prefix = ""
        for part in path.split(separator: "/") {
            prefix += "/" + part
            if mkdir(prefix, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                let code = errno
                var info = stat()
                if stat(prefix, &info) == 0 { continue }
                throw failure("cannot be made", prefix, code)
            }
        }
    }

    static func failure(_ what: String, _ path: String, _ code: Int32) -> TransferFailure {
        let isFull = code == ENOSPC || code == EDQUOT
        return TransferFailure(
            isFull ? .diskFull : .storeFailed,
            "\(path) \(what): \(String(cString: strerror(code))). Longhaul keeps its queue there; make the place writable.",
            origin: .system(Int(code)))
    }
}
