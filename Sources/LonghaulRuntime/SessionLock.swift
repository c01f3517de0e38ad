package import LonghaulCore
import LonghaulSystem

/// The lock on a session's directory: whoever has it runs the session.
///
/// It is a lock of the open file (fcntl(2), open file description locks): the kernel drops it when the process dies, however
/// it dies, and gives it to whoever waits for it. One value is one open file, so whatever its users do with it from different threads
/// concerns the same lock.
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
        // A child that this process is just starting has the descriptor until it becomes another program; closing
        // ours would leave the lock with it.
        file.unlock()
    }

    /// Takes the lock unless another one has it. True as well when this value has it already: also when a thread that waits
    /// for it got it a moment ago, or is about to see that it did.
    package func take() throws(TransferFailure) -> Bool {
        do throws(SystemError) {
            return try file.tryLock()
        } catch {
            throw error.failure("lock", path)
        }
    }

    /// Takes the lock when it is free, however long that takes. The thread sleeps in the kernel meanwhile, and nothing but the
    /// end of the process interrupts it.
    package func wait() throws(TransferFailure) {
        do throws(SystemError) {
            try file.lock()
        } catch {
            throw error.failure("lock", path)
        }
    }

    /// Whether the file is still the one that others find under its name; the lock on another one means nothing.
    package var isCurrent: Bool { file.isAt(path) }

    /// Whether anybody has the lock now. It is not touched: a process that wants it is not disturbed.
    package static func isHeld(_ layout: SessionLayout) -> Bool {
        // A file that is not there, or cannot be looked at, is not known to be locked.
        (try? Descriptor(opening: layout.lock, [.both, .noLink]).isLockedElsewhere()) == true
    }
}
