import CSQLite
package import LonghaulCore
import LonghaulSystem

/// Returns the meaning of an SQLite result for the session: a damaged store, a full disk, or another failure.
///
/// `code` may be extended; `systemError` is the underlying `errno`. The text is SQLite's own for the code, and never contains a value.
func storeFailure(_ code: Int32, systemError: Int32) -> TransferFailure {
    let reason = String(cString: sqlite3_errstr(code))
    let isOutOfSpace = SystemError(systemError).isOutOfSpace
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB:
        return storeDamage(reason, code: code)
    // An intact store never returns these codes: its tables have changed, or assigned numbers are repeated.
    case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA:
        return storeDamage(reason, code: code)
    case SQLITE_IOERR where code == shortRead || code == corruptFileSystem:
        return storeDamage(reason, code: code)
    case _ where SystemError(systemError).isLackOfDescriptors:
        return tooManyOpenFiles(SystemError(systemError))
    // SQLite does not keep the error number of a write.
    case SQLITE_IOERR where code == failedWrite && !isOutOfSpace && ThisProcess.limitsFileSizes:
        return TransferFailure(
            .storeFailed,
            "Could not write the session's store. It may have reached this process's limit of file sizes (ulimit -f). Raise the limit and restart the service.",
            origin: .sqlite(Int(code)))
    // SQLite has lost the system's error of a shared memory file that cannot grow.
    case SQLITE_IOERR where isOutOfSpace || code == sharedMemorySize, SQLITE_CANTOPEN where isOutOfSpace, SQLITE_FULL:
        return TransferFailure(
            .diskFull, "The disk that holds the session's store is full. Free some space and try again.",
            origin: .sqlite(Int(code)))
    case SQLITE_BUSY, SQLITE_LOCKED:
        return TransferFailure(
            .storeFailed, "Another program holds a lock on the session's store. Close it and try again.",
            origin: .sqlite(Int(code)))
    case SQLITE_IOERR where SystemError(systemError).isRefusal, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
        let cause = SystemError(systemError)
        return TransferFailure(
            .storeFailed,
            "Could not open the session's store for writing (\(cause.isRefusal ? cause.text : reason)). Check the owner, "
                + "the permissions, and the immutable attribute of its directory and files.",
            origin: .sqlite(Int(code)))
    default:
        return TransferFailure(
            .storeFailed, "Could not read or write the session's store (\(reason)).", origin: .sqlite(Int(code)))
    }
}

/// Returns the failure for a damaged store.
func storeDamage(_ reason: String, code: Int32 = SQLITE_CORRUPT) -> TransferFailure {
    TransferFailure(
        .storeDamaged, "The session's store is damaged (\(reason)). Longhaul recovers the readable part.",
        origin: .sqlite(Int(code)))
}

/// The file was deleted or replaced: further writes to it would be lost.
package let storeVanished = TransferFailure(
    .storeFailed,
    "The session's store was removed or replaced while it was in use. Check the owner and the permissions of its directory, then try again."
)

/// `SQLITE_IOERR_SHORT_READ`, `SQLITE_IOERR_WRITE`, and `SQLITE_IOERR_CORRUPTFS`: nested macros, which Swift does not import.
private let shortRead = SQLITE_IOERR | (2 << 8)
private let failedWrite = SQLITE_IOERR | (3 << 8)
private let corruptFileSystem = SQLITE_IOERR | (33 << 8)
/// `SQLITE_IOERR_SHMSIZE`.
private let sharedMemorySize = SQLITE_IOERR | (19 << 8)
