package import LonghaulCore
import LonghaulSystem

/// The lock on a session's directory: the process that holds it runs the session.
///
/// It is an open file description lock (fcntl(2)). The kernel releases it when the process ends for any reason, and gives it to a
/// waiting process. One value is one open file, so all its threads share one lock.
package final class SessionLock: Sendable {
    private let file: Descriptor
    private let path: String

    /// Opens the lock's file, without taking the lock.
    package init(_ layout: SessionLayout) throws(TransferFailure) {
        path = layout.lock
        do throws(SystemError) {
            file = try Descriptor(opening: path, [.both, .making, .noLink])
        } catch {
            throw error.failure("open", path)
        }
    }

    /// Drops the lock if this value has it.
    deinit {
        release()
    }

    /// Drops the lock, before clients learn that the opening failed: their next request may open the session on another thread.
    package func release() {
        // A child process that is just starting has the descriptor until its exec; closing only ours would leave the lock with
        // the child.
        file.unlock()
    }

    /// Takes the lock unless another value has it. Also returns `true` if this value has it already, for example because a waiting
    /// thread just got it.
    package func acquire() throws(TransferFailure) -> Bool {
        do throws(SystemError) {
            return try file.tryLock()
        } catch {
            throw error.failure("lock", path)
        }
    }

    /// Waits for the lock without a timeout. The thread sleeps in the kernel, and only the end of the process interrupts it.
    package func wait() throws(TransferFailure) {
        do throws(SystemError) {
            try file.lock()
        } catch {
            throw error.failure("lock", path)
        }
    }

    /// Whether the path still leads to this file; a lock on another file has no effect.
    package var isCurrent: Bool { file.isAt(path) }

    /// Whether any process has the lock now. Does not take it, so a process that wants it is not disturbed.
    package static func isHeld(_ layout: SessionLayout) -> Bool {
        // A file that is missing or cannot be inspected is not known to be locked.
        (try? Descriptor(opening: layout.lock, [.both, .noLink]).isLockedElsewhere()) == true
    }
}
