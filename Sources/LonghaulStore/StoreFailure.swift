import CSQLite
package import LonghaulCore
import LonghaulSystem

/// What an SQLite result means for the session: is the store damaged, the disk full, or something else wrong?
///
/// `code` may be extended; `systemError` is the `errno` below it. The words are SQLite's own for the code, and never
/// hold a value.
func storeFailure(_ code: Int32, systemError: Int32) -> TransferFailure {
    let reason = String(cString: sqlite3_errstr(code))
    let isOutOfSpace = SystemError(systemError).isOutOfSpace
    switch code & 0xFF {
    case SQLITE_CORRUPT, SQLITE_NOTADB:
        return storeDamage(reason, code: code)
    // Nothing that is asked of a sound store ends so: its tables are not what they were, or numbers that were given come again.
    case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA:
        return storeDamage(reason, code: code)
    case SQLITE_IOERR where code == shortRead || code == corruptFileSystem:
        return storeDamage(reason, code: code)
    case SQLITE_IOERR where isOutOfSpace, SQLITE_FULL:
        return TransferFailure(
            .diskFull, "The disk that holds the session's store is full. Free some space and try again.",
            origin: .sqlite(Int(code)))
    case SQLITE_BUSY, SQLITE_LOCKED:
        return TransferFailure(
            .storeFailed, "Another program holds a lock on the session's store. Close it and try again.",
            origin: .sqlite(Int(code)))
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
        return TransferFailure(
            .storeFailed,
            "Could not open the session's store for writing (\(reason)). Check the owner and the permissions of its directory.",
            origin: .sqlite(Int(code)))
    default:
        return TransferFailure(
            .storeFailed, "Could not read or write the session's store (\(reason)).", origin: .sqlite(Int(code)))
    }
}

/// The store's content is not what it must be.
func storeDamage(_ reason: String, code: Int32 = SQLITE_CORRUPT) -> TransferFailure {
    TransferFailure(
        .storeDamaged, "The session's store is damaged (\(reason)). Longhaul recovers the readable part.",
        origin: .sqlite(Int(code)))
}

/// Somebody has taken the file away, or put another one in its place: what is written to it would be lost.
package let storeVanished = TransferFailure(
    .storeFailed,
    "The session's store was removed or replaced while it was in use. Check the owner and the permissions of its directory, then try again."
)

/// `SQLITE_IOERR_SHORT_READ` and `SQLITE_IOERR_CORRUPTFS`: macros over macros, which Swift does not import.
private let shortRead = SQLITE_IOERR | (2 << 8)
private let corruptFileSystem = SQLITE_IOERR | (33 << 8)
