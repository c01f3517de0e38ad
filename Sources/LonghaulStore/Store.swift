import CSQLite
package import LonghaulCore
import LonghaulSystem

/// The store of one session: every transfer's record, its history, and the session's settings, in one SQLite file.
///
/// All writes happen between `begin` and `commit`; many transfers share one commit. When `commit` returns, everything is on
/// the disk. When any call throws in between, the caller rolls back: nothing of the transaction is kept then, and the
/// store goes on as it was before `begin`.
///
/// A store belongs to one thread.
package final class Store {
    let connection: Connection
    /// Values in memory that follow the rows: they are put back when a transaction does not reach its commit.
    var counters: Counters
    private var committed: Counters
    /// The write that failed in this transaction, which can then not be committed: it may be half done.
    private var fault: TransferFailure?
    /// A full disk for tests: how many writes and commits it still takes; `nil` for as many as there is room for.
    package var writesLeft: Int?
    let path: String
    /// The file that was opened: another one may have its name by now.
    let identity: FileIdentity?
    /// The memory that messages are encoded in.
    var writer = WireWriter(capacity: 1_024)

    /// What transfers, lines and events can be numbered with: more are never given, so adding to one cannot overflow.
    static let givenNumbers = Int64(0)...1 << 48

    struct Counters {
        var totals = SessionTotals()
        /// The highest sequence number of a transfer that was ever given.
        var newestSequence: Int64 = 0
        /// The number of the newest line of history.
        var historyNumber: Int64 = 0
        /// The last transfer that was written, since its history comes next.
        var latest: (id: TransferID, sequence: Int64)?
    }

    /// Opens a store or creates it, and brings it to the present format. A store of a newer format is refused with
    /// `storeFailed`; a file that is no store, or whose beginning or log is damaged, with `storeDamaged`. What lies deeper
    /// is found when it is read, or by `check`.
    package init(path: String) throws(TransferFailure) {
        try Self.finishSalvage(path: path)
        Self.mendModes(of: path)
        try createPrivateFile(path)
        if let fault = StoreImage(path: path)?.fault { throw storeDamage(fault, code: SQLITE_NOTADB) }
        connection = try Connection(path: path)
        try Schema.prepare(connection)
        self.path = path
        identity = Files.identity(path)
        counters = Counters()
        committed = counters
        counters.totals = try countTotals()
        counters.historyNumber = try storedHistoryNumber()
        counters.newestSequence = try storedNewestSequence()
        try checkNumbers()
        committed = counters
        connection.keepsLog = false
    }

    /// Opens a store beside the one of this process that writes it, to read along. Closing leaves everything as it is.
    package init(readingAlong path: String) throws(TransferFailure) {
        connection = try Connection(path: path, creates: false)
        self.path = path
        identity = nil
        counters = Counters()
        committed = counters
    }

    /// Closing it will change the files no more: they are damaged, or about to be exchanged.
    package func abandon() { connection.keepsLog = true }

    /// Whether writes can be made. SQLite ends a transaction by itself after some errors.
    package var isInTransaction: Bool { connection.isInTransaction }

    package func begin() throws(TransferFailure) {
        if !isInTransaction { (counters, fault) = (committed, nil) }
        try connection.statement(Self.beginning).run()
    }

    /// Puts everything since `begin` on the disk. When it throws, the transaction is gone and nothing of it is kept.
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

    /// Forgets everything since `begin`; harmless when SQLite has done so already.
    package func rollback() throws(TransferFailure) {
        (counters, fault) = (committed, nil)
        if isInTransaction { try connection.execute("rollback") }
    }

    /// Reads the whole file for damage. It takes long for a large store; `init` does without.
    package func check() throws(TransferFailure) {
        guard try connection.text("pragma integrity_check(1)") == "ok" else {
            throw storeDamage("its check found a fault")
        }
    }

    /// Numbers that rise and are never used again. No session comes near the end of their range: one that is there was not
    /// counted but damaged, and nothing could be added after it.
    private func checkNumbers() throws(TransferFailure) {
        let newestEvent = try connection.number("select seq from sqlite_sequence where name = 'event'") ?? 0
        let isRight = [counters.historyNumber, counters.newestSequence, newestEvent].allSatisfy {
            Self.givenNumbers.contains($0)
        }
        guard isRight else { throw storeDamage("one of its running numbers is out of range") }
    }

    /// How many transfers are in each state. Kept in memory.
    package func totals() -> SessionTotals { counters.totals }

    /// The highest sequence number that a transfer was ever given.
    package var newestSequence: Int64 { counters.newestSequence }

    /// Frees the pages that are only kept to be read again.
    package func releaseMemory() { connection.releaseMemory() }

    /// What SQLite has done so far, in steps of its machine: a measure of work for tests, the same on every computer.
    package var stepsDone: Int { connection.steps }

    /// Keeps the file from growing beyond so many pages: a full disk for tests.
    package func limitPages(to count: Int) throws(TransferFailure) {
        _ = try connection.number("pragma max_page_count = \(count)")
    }

    /// Every write goes through here.
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
            guard StateCode(number: rows.number(0)).count(Int(rows.number(1)), in: &totals) else {
                throw storeDamage("a transfer is in no known state")
            }
        }
        return totals
    }
}

@available(*, unavailable)
extension Store: Sendable {}
