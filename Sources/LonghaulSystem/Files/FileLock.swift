import CPlatform
import LonghaulCore

/// Locks of open files (open file description locks of fcntl(2), or flock(2) on Darwin). The kernel drops a lock when
/// the last descriptor of the open file is closed, even if the process is killed.
extension OpenFile {
    /// Locks the whole file, unless another open file holds the lock. Returns `true` even if this one holds it already.
    package func tryLock() throws(SystemError) -> Bool {
        try isGranted(longhaul_lock_exclusive(number))
    }

    #if os(Linux)
        /// Locks the whole file, and waits at most this long. Only for a process with one thread, because it uses SIGALRM.
        package func tryLock(withinMilliseconds milliseconds: Int32) throws(SystemError) -> Bool {
            try isGranted(longhaul_lock_exclusive_within(number, milliseconds))
        }
    #endif

    /// Locks the whole file, and waits without limit. Only the end of the process interrupts the wait.
    package func lock() throws(SystemError) {
        try value(longhaul_lock_exclusive_wait(number))
    }

    /// Releases the lock, even if a process that is being started still has the descriptor.
    package func unlock() {
        longhaul_unlock(number)
    }

    /// Returns whether another open file holds the lock. The check itself takes no lock, so it cannot disturb another
    /// process. On Darwin, a lock of this open file counts too.
    package func isLockedElsewhere() throws(SystemError) -> Bool {
        try value(longhaul_lock_is_held(number)) == 1
    }

    private func isGranted(_ result: Int32) throws(SystemError) -> Bool {
        let error = SystemError(-result)
        if error == .wouldBlock || error == .denied { return false }
        try value(result)
        return true
    }
}
