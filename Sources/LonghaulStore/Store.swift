import CSQLite
package import LonghaulCore
import LonghaulSystem

/// The store of one session: every transfer's record, its history, and the session's settings, in one SQLite file.
///
/// All writes happen between `begin` and `commit`; many transfers share one commit. When `commit` returns, everything is on the disk.
/// If a call in between throws, the caller rolls back: the whole transaction is undone, and the store continues as before `begin`.
///
/// A store belongs to one thread.
package final class Store {
    private(set) var connection: Connection
    /// Values in memory that follow the rows: they are restored if a transaction is not committed.
    var counters: Counters
    private var committed: Counters
    /// The failure of a write in this transaction, which then cannot be committed, because the write may be incomplete.
    private var fault: TransferFailure?
    /// Simulates a full disk in tests: the number of writes and commits left; `nil` for no limit.
    package var writesLeft: Int?
    let path: String
    /// The file that was opened: another one may have its name by now.
    let identity: FileIdentity?

    /// The valid numbers of transfers, lines, and events. Larger ones are never assigned, so incrementing cannot overflow.
    static let givenNumbers = Int64(0)...1 << 48

    struct Counters {
        var totals = SessionTotals()
        /// The highest sequence number ever assigned to a transfer.
        var newestSequence: Int64 = 0
        /// The number of the newest line of history.
        var historyNumber: Int64 = 0
        /// The last transfer that was written, because its history comes next.
        var latest: (id: TransferID, sequence: Int64)?
    }

    /// Opens a store or creates it, and migrates it to the current format. A store of a newer format is refused with `storeFailed`;
    /// a file that is not a store, or whose beginning or log is damaged, with `storeDamaged`. Other damage is found on reading, or
    /// by `check`.
    package init(path: String, anchors: PathAnchors = .none) throws(TransferFailure) {
        try Self.finishSalvage(path: path)
        repairModes(of: path)
        let isNew = try createStoreFile(path)
        if let fault = StoreImage(path: path)?.fault(isNew: isNew) { throw storeDamage(fault, code: SQLITE_NOTADB) }
        connection = try Connection(path: path, anchors: anchors)
        try Schema.prepare(connection, isNew: isNew)
        self.path = path
        identity = Files.identity(path)
        counters = Counters()
        committed = counters
        counters.totals = try countTotals()
        counters.historyNumber = try storedHistoryNumber()
        counters.newestSequence = try storedNewestSequence()
        try checkNumbers()
        try StoreComparison(connection: connection, counters: counters).run()
        committed = counters
        connection.keepsLog = false
        guard isNew else { return }
        // The tables are in the store itself, not only in the log.
        try emptyLog()
        Files.discard(path + Self.creationMark)
    }

    /// Opens a second connection to a store for reading. Closing leaves everything unchanged.
    package init(readingAlong path: String, anchors: PathAnchors = .none) throws(TransferFailure) {
        connection = try Connection(path: path, creates: false, anchors: anchors)
        self.path = path
        identity = nil
        counters = Counters()
        committed = counters
    }

    /// Prevents changes of the files when it is closed: they are damaged, or about to be replaced.
    package func abandon() { connection.keepsLog = true }

    /// Whether a transaction is open. SQLite ends one automatically after some errors.
    package var isInTransaction: Bool { connection.isInTransaction }

    package func begin() throws(TransferFailure) {
        if !isInTransaction { (counters, fault) = (committed, nil) }
        if connection.isReadOnly, isInPlace { connection = try connection.reopened(path) }
        try connection.statement(Self.beginning).run()
    }

    /// Commits everything since `begin` to the disk. If it throws, the whole transaction is undone.
    package func commit() throws(TransferFailure) {
        do throws(TransferFailure) {
            if let fault { throw fault }
            guard isInPlace else { throw storeVanished }
            try spendWrite()
            if counters.historyNumber != committed.historyNumber { try storeHistoryNumber() }
            try connection.statement(Self.commitment).run()
        } catch {
            try rollback()
            throw error
        }
        committed = counters
    }

    private static let beginning = StatementText("begin immediate")
    private static let commitment = StatementText("commit")

    /// Undoes everything since `begin`; harmless if SQLite has done so already.
    package func rollback() throws(TransferFailure) {
        (counters, fault) = (committed, nil)
        if isInTransaction { try connection.execute("rollback") }
    }

    /// Checks by a commit that the store can be written. SQLite writes the first page even though its value stays the same.
    package func checkIsWritable() throws(TransferFailure) {
        try begin()
        do throws(TransferFailure) {
            try write { () throws(TransferFailure) in
                try connection.execute("pragma user_version = \(Schema.migrations.count)")
            }
            try commit()
        } catch {
            try rollback()
            throw error
        }
    }

    /// Checks the whole file for damage. It takes long for a large store; `init` does not need it.
    package func check() throws(TransferFailure) {
        guard try connection.text("pragma integrity_check(1)") == "ok" else {
            throw storeDamage("its check found a fault")
        }
    }

    /// Checks numbers that increase and are never reused. No session approaches the end of their range: a number near it was
    /// damaged, and nothing could be added after it.
    private func checkNumbers() throws(TransferFailure) {
        let newestEvent = try connection.number("select seq from sqlite_sequence where name = 'event'") ?? 0
        let isRight = [counters.historyNumber, counters.newestSequence, newestEvent].allSatisfy {
            Self.givenNumbers.contains($0)
        }
        guard isRight else { throw storeDamage("one of its running numbers is out of range") }
    }

    /// Returns how many transfers are in each state, from memory.
    package func totals() -> SessionTotals { counters.totals }

    /// The highest sequence number ever assigned to a transfer.
    package var newestSequence: Int64 { counters.newestSequence }

    /// Frees cached pages.
    package func releaseMemory() { connection.releaseMemory() }

    /// The steps of SQLite's virtual machine so far: a measure of work for tests, the same on every computer.
    package var stepsDone: Int { connection.steps }

    /// Limits the file to this many pages, to simulate a full disk in tests.
    package func limitPages(to count: Int) throws(TransferFailure) {
        _ = try connection.number("pragma max_page_count = \(count)")
    }

    /// Performs a write; every write uses this function.
    func write(_ body: () throws(TransferFailure) -> Void) throws(TransferFailure) {
        guard isInTransaction else {
            throw fault ?? TransferFailure(.storeFailed, "The session's store was written outside a transaction.")
        }
        do throws(TransferFailure) {
            try spendWrite()
            try body()
        } catch {
            if case .sqlite = error.origin { fault = error }
            throw error
        }
    }

    private func spendWrite() throws(TransferFailure) {
        guard let left = writesLeft else { return }
        guard left > 0 else { throw storeFailure(SQLITE_FULL, systemError: 0) }
        writesLeft = left - 1
    }

    func count(_ code: StateCode, by difference: Int) {
        code.count(difference, in: &counters.totals)
    }

    private func countTotals() throws(TransferFailure) -> SessionTotals {
        var totals = SessionTotals()
        let rows = try connection.statement("select stateCode, count(*) from transfer group by stateCode")
        defer { rows.reset() }
        while try rows.step() {
            guard !rows.isNull(0), StateCode(number: rows.number(0)).count(Int(rows.number(1)), in: &totals) else {
                throw storeDamage("a transfer is in no known state")
            }
        }
        return totals
    }
}

@available(*, unavailable)
extension Store: Sendable {}
