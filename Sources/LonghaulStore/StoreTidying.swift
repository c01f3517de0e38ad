package import LonghaulCore

/// Removes deleted data from the files.
extension Store {
    /// A file with fewer pages is rewritten after every deletion.
    private static let smallFile: Int64 = 1_024
    /// Rewriting takes as much memory as the file: a file with more used pages keeps its length.
    private static let largestFile: Int64 = 8_192

    /// Removes all traces of deleted rows from the files. Deleted rows are overwritten at once, but older pages in the log, and
    /// copies of rows that were moved between pages, may remain. A file that is a quarter empty shrinks.
    ///
    /// Optional, and only without an open transaction.
    package func forgetDeleted() throws(TransferFailure) {
        let pages = try connection.number("pragma page_count") ?? 0
        let free = try connection.number("pragma freelist_count") ?? 0
        let used = pages - free
        if used <= Self.smallFile || used <= Self.largestFile && free >= pages / 4 { try connection.execute("vacuum") }
        try emptyLog()
    }

    /// Copies the log to the store and truncates it. A concurrent reader may prevent that.
    func emptyLog() throws(TransferFailure) {
        // Transfers do not wait for a concurrent reader.
        try connection.execute("pragma busy_timeout = 0")
        // It only sets a number, which cannot fail.
        defer { try? connection.execute("pragma busy_timeout = 2000") }
        _ = try connection.number("pragma wal_checkpoint(truncate)")
    }
}
