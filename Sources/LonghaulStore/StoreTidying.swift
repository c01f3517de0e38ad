package import LonghaulCore

/// Taking what was deleted out of the files.
extension Store {
    /// A file that is smaller than this is written anew whenever something was deleted.
    private static let smallFile: Int64 = 1_024
    /// Writing it anew takes as much memory: a file with more pages in use keeps its length.
    private static let largestFile: Int64 = 8_192

    /// Leaves nothing of deleted rows in the files. Rows are overwritten when they are deleted; what is left then are older
    /// pages in the log, and copies of rows that were moved between pages. A file of which a quarter is empty shrinks.
    ///
    /// Harmless when it is left out. No transaction may be open.
    package func forgetDeleted() throws(TransferFailure) {
        let pages = try connection.number("pragma page_count") ?? 0
        let free = try connection.number("pragma freelist_count") ?? 0
        let used = pages - free
        if used <= Self.smallFile || used <= Self.largestFile && free >= pages / 4 { try connection.execute("vacuum") }
        try emptyLog()
    }

    /// Copies the log to the store and cuts it to nothing. Somebody who reads along may keep that from happening now.
    func emptyLog() throws(TransferFailure) {
        // Transfers do not wait for somebody who reads along.
        try connection.execute("pragma busy_timeout = 0")
        // It only sets a number, which cannot fail.
        defer { try? connection.execute("pragma busy_timeout = 2000") }
        _ = try connection.number("pragma wal_checkpoint(truncate)")
    }
}
