package import LonghaulCore
import LonghaulSystem

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
            "Another process runs the session and holds the lock on \(layout.lock). End that process first.",
            origin: SystemError.wouldBlock.origin)
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
        Directory.names(in: layout.staged).map { "\(layout.staged)/\($0)" }
    }

    /// Whether a staged body has been nobody's for some time: a writer holds a lock on its file, but takes it a moment
    /// after making it.
    package static func isAbandoned(_ path: String, at now: WallTime) -> Bool {
        // What cannot be looked at may be somebody's.
        guard let file = try? Descriptor(opening: path, [.both, .noLink]), let status = try? file.status(),
            (try? file.isLockedElsewhere()) == false
        else { return false }
        return now - WallTime(microseconds: status.modified / 1_000) > .seconds(60)
    }

    /// Deletes a staged body unless somebody holds it.
    package static func discardStagedBody(_ path: String) {
        // What cannot be locked is left to the next opening.
        guard let file = try? Descriptor(opening: path, [.both, .noLink]), (try? file.tryLock()) == true else { return }
        Files.discard(path)
    }

    /// Which of these files among the staged bodies nobody has locked.
    func unheld(_ names: [String]) -> Set<String> {
        Set(names.filter { !Self.isHeld("\(layout.staged)/\($0)") })
    }

    /// Deletes a file that was locked for as long as a process lived.
    func forgetWitness(_ name: String) { Files.discard("\(layout.staged)/\(name)") }

    private static func isHeld(_ path: String) -> Bool {
        do throws(SystemError) {
            return try Descriptor(opening: path, [.both, .noLink]).isLockedElsewhere()
        } catch {
            // A file that cannot be looked at now may be held.
            return !error.isMissing
        }
    }

    /// Makes a directory and its parents for this user alone.
    package static func make(_ path: String) throws(TransferFailure) {
        do throws(SystemError) {
            try Directory.make(path)
        } catch {
            throw error.failure("create", path)
        }
    }
}
