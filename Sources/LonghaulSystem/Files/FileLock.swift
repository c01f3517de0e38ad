import CLinux
import LonghaulCore

/// Locks of open files (fcntl(2), open file description locks): the kernel drops one when the last descriptor of the open
/// file is closed, also when the process is killed.
extension OpenFile {
    /// Takes the lock on the whole file, unless another open file has it. True as well when this one has it already.
    package func tryLock() throws(SystemError) -> Bool {
        try isGranted(longhaul_lock_exclusive(number))
    }

    /// The same, waiting for at most so long. Only for a process that has one thread: it uses SIGALRM.
    package func tryLock(withinMilliseconds milliseconds: Int32) throws(SystemError) -> Bool {
        try isGranted(longhaul_lock_exclusive_within(number, milliseconds))
    }

    /// Takes the lock when it is free, however long that takes. Nothing but the end of the process interrupts it.
    package func lock() throws(SystemError) {
        try value(longhaul_lock_exclusive_wait(number))
    }

    /// Gives the lock back, also where a process that is just being started still has the descriptor.
    package func unlock() {
        longhaul_unlock(number)
    }

    /// Whether another open file has the lock. It is not touched: who wants it is not disturbed.
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
