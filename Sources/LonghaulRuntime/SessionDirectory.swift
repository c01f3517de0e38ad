package import LonghaulCore
import LonghaulSystem

/// A session's directory while this process owns it.
///
/// Ownership is an open file description lock, which the kernel releases when the process ends for any reason.
package final class SessionDirectory {
    package let layout: SessionLayout
    private var lock: SessionLock

    /// Creates the directory if it is missing, and takes the lock. Fails with `sessionInUse` while another process has it.
    package convenience init(_ layout: SessionLayout) throws(TransferFailure) {
        try self.init(layout, Self.takeLock(layout))
    }

    /// Opens the session whose lock the caller has taken. This value releases the lock when it is deinitialized.
    package init(_ layout: SessionLayout, _ lock: SessionLock) throws(TransferFailure) {
        self.layout = layout
        self.lock = lock
        for directory in [layout.directory, layout.staged] { try Self.make(directory) }
    }

    /// Recreates deleted directories, and takes the lock at its current path.
    func restore() throws(TransferFailure) {
        for directory in [layout.directory, layout.staged] { try Self.make(directory) }
        if !lock.isCurrent { lock = try Self.takeLock(layout) }
    }

    /// Returns the failure for a session that another process runs.
    package static func inUse(_ layout: SessionLayout) -> TransferFailure {
        TransferFailure(
            .sessionInUse,
            "Another process runs the session and holds the lock on \(layout.lock). End that process first.",
            origin: SystemError.wouldBlock.origin)
    }

    private static func takeLock(_ layout: SessionLayout) throws(TransferFailure) -> SessionLock {
        while true {
            try make(layout.directory)
            let lock = try SessionLock(layout)
            guard try lock.acquire() else { throw inUse(layout) }
            // A directory that was replaced between the two calls has another lock.
            if lock.isCurrent { return lock }
        }
    }

    /// Whether the path is that of a staged body of this session. Only such sources are deleted when their transfer ends. The
    /// client may use another path to the session.
    package func isStaged(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3, let name = parts.last, !["", ".", ".."].contains(name) else { return false }
        return parts.dropLast().suffix(2).elementsEqual(layout.staged.split(separator: "/").suffix(2))
    }

    /// Returns the paths of the existing staged bodies.
    package func stagedBodies() -> [String] {
        Directory.names(in: layout.staged).map { "\(layout.staged)/\($0)" }
    }

    /// Whether a staged body has had no owner for some time. A writer locks its file, but only a moment after creating it.
    package static func isAbandoned(_ path: String, at now: WallTime) -> Bool {
        // A file that cannot be inspected may be in use.
        guard let file = try? Descriptor(opening: path, [.both, .noLink]), let status = try? file.status(),
            (try? file.isLockedElsewhere()) == false
        else { return false }
        return now - WallTime(microseconds: status.modified / 1_000) > .seconds(60)
    }

    /// Deletes a staged body unless its file is locked.
    package static func discardStagedBody(_ path: String) {
        // A file that cannot be locked is left to the next opening.
        guard let file = try? Descriptor(opening: path, [.both, .noLink]), (try? file.tryLock()) == true else { return }
        Files.discard(path)
    }

    /// Returns which of these staged bodies are not locked.
    func unheld(_ names: [String]) -> Set<String> {
        Set(names.filter { !Self.isHeld("\(layout.staged)/\($0)") })
    }

    /// Deletes a file whose lock showed that a process was alive.
    func forgetWitness(_ name: String) { Files.discard("\(layout.staged)/\(name)") }

    private static func isHeld(_ path: String) -> Bool {
        do throws(SystemError) {
            return try Descriptor(opening: path, [.both, .noLink]).isLockedElsewhere()
        } catch {
            // A file that cannot be inspected may be locked.
            return !error.isMissing
        }
    }

    /// Creates a directory and its parents, accessible to this user only.
    package static func make(_ path: String) throws(TransferFailure) {
        do throws(SystemError) {
            try Directory.make(path)
        } catch {
            throw error.failure("create", path)
        }
    }
}
