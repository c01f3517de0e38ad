import CSQLite
import LonghaulCore

/// The text of a statement that runs for each transfer. The statement is found by identity: hashing the text each time would cost as
/// much as a small statement.
final class StatementText: Sendable {
    let sql: String

    init(_ sql: String) {
        self.sql = sql
    }
}

/// One open SQLite database and the statements prepared for it.
final class Connection {
    private let handle: OpaquePointer
    /// The directories that stored paths are relative to.
    let anchors: PathAnchors
    let shared = SharedMessages()
    /// The buffer for encoding messages.
    var writer: WireWriter
    private var statements: [String: Statement] = [:]
    private var frequent: [ObjectIdentifier: Statement] = [:]

    /// Opens the file, and creates it if it is missing and `creates` is set.
    init(path: String, creates: Bool = true, anchors: PathAnchors = .none) throws(TransferFailure) {
        self.anchors = anchors
        writer = WireWriter(capacity: 1_024, anchors: anchors, shared: shared)
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creates ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard let handle else { throw storeFailure(code, systemError: 0) }
        guard code == SQLITE_OK else {
            let failure = storeFailure(sqlite3_extended_errcode(handle), systemError: sqlite3_system_errno(handle))
            sqlite3_close_v2(handle)
            throw failure
        }
        self.handle = handle
        // The rest of the class sees only extended codes; both calls fail only for a nil handle.
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 2_000)
        keepsLog = true
    }

    /// Whether closing leaves the log unchanged. Otherwise the last connection copies the log to the store and deletes it by its
    /// name. That must not happen to a damaged store, nor to one that was replaced.
    var keepsLog = false {
        // Fails only for a nil handle.
        didSet { longhaul_sqlite_keep_log(handle, keepsLog ? 1 : 0) }
    }

    deinit {
        statements.removeAll()
        frequent.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Whether SQLite opened the file for reading only, because it was immutable or its file system was read-only.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Returns another connection to the file. This one must not be used afterwards.
    func reopened(_ path: String) throws(TransferFailure) -> Connection {
        let fresh = try Connection(path: path, creates: false, anchors: anchors)
        try Schema.configure(fresh)
        (fresh.keepsLog, keepsLog) = (keepsLog, true)
        return fresh
    }

    /// Whether a transaction is open. SQLite ends one automatically after some errors.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The total steps of all prepared statements.
    var steps: Int { statements.values.reduce(0) { $0 + $1.steps } }

    /// The row ID of the last insertion.
    var lastRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Returns the statement for this text, prepared once and kept. The text must live as long as the program.
    func statement(_ text: StatementText) throws(TransferFailure) -> Statement {
        if let known = frequent[ObjectIdentifier(text)] { return known }
        let statement = try statement(text.sql)
        frequent[ObjectIdentifier(text)] = statement
        return statement
    }

    /// Returns the statement for this text, prepared once and kept.
    func statement(_ sql: String) throws(TransferFailure) -> Statement {
        if let known = statements[sql] { return known }
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard code == SQLITE_OK, let compiled else { throw failure(code) }
        let statement = Statement(compiled, anchors: anchors, shared: shared)
        statements[sql] = statement
        return statement
    }

    /// Runs statements and ignores their results.
    func execute(_ sql: String) throws(TransferFailure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Returns the first column of the first row, as a number; `nil` if there is no row.
    func number(_ sql: String) throws(TransferFailure) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.number(0) : nil
    }

    /// Returns the first column of the first row, as text; `nil` if there is no row.
    func text(_ sql: String) throws(TransferFailure) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// Frees cached pages.
    func releaseMemory() {
        sqlite3_db_release_memory(handle)
    }

    private func failure(_ code: Int32) -> TransferFailure {
        storeFailure(code, systemError: sqlite3_system_errno(handle))
    }
}
