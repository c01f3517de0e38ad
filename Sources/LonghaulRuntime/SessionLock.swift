import CLinux
package import LonghaulCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The lock on a session's directory: whoever has it runs the session.
///
/// It is a lock of the open file (fcntl(2), open file description locks): the kernel drops it when the process dies, however
/// it dies, and gives it to whoever waits for it. One value is one open file, so whatever its users do with it from different threads
/// concerns the same lock.
package final class SessionLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Opens the lock's file, without taking the lock.
    package init(_ layout: SessionLayout) throws(TransferFailure) {
        path = layout.lock
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SessionDirectory.failure("cannot be opened", path, errno) }
    }

    /// Drops the lock if this value has it.
    deinit {
        // A child that this process is just starting has the descriptor until it becomes another program; closing
        // ours would leave the lock with it.
        longhaul_unlock(descriptor)
        close(descriptor)
    }

    /// Takes the lock unless another one has it. True as well when this value has it already: also when a thread that waits
    /// for it got it a moment ago, or is about to see that it did.
    package func take() throws(TransferFailure) -> Bool {
        let result = longhaul_lock_exclusive(descriptor)
        if result == -EAGAIN || result == -EACCES { return false }
        guard result == 0 else { throw SessionDirectory.failure("cannot be locked", path, -result) }
        return true
    }

    /// Takes the lock when it is free, however long that takes. The thread sleeps in the kernel meanwhile, and nothing but the
    /// end of the process interrupts it.
    package func wait() throws(TransferFailure) {
        let result = longhaul_lock_exclusive_wait(descriptor)
        guard result == 0 else { throw SessionDirectory.failure("cannot be locked", path, -result) }
    }

    /// Whether the file is still the one that others find under its name; the lock on another one means nothing.
    package var isCurrent: Bool {
        var here = stat()
        var there = stat()
        return fstat(descriptor, &here) == 0 && lstat(path, &there) == 0 && here.st_ino == there.st_ino
            && here.st_dev == there.st_dev
    }

    /// Whether anybody has the lock now. It is not touched: a process that wants it is not disturbed.
    package static func isHeld(_ layout: SessionLayout) -> Bool {
        let file = open(layout.lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return false }
        defer { close(file) }
        return longhaul_lock_is_held(file) == 1
    }
}
