import CSQLite
import LonghaulCore

/// One prepared statement. Parameters count from 1, columns from 0, as in SQLite.
final class Statement {
    private let handle: OpaquePointer
    private let anchors: PathAnchors
    private let shared: SharedMessages

    init(_ handle: OpaquePointer, anchors: PathAnchors, shared: SharedMessages) {
        self.handle = handle
        self.anchors = anchors
        self.shared = shared
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func bind(_ value: Int64, at index: Int32) throws(TransferFailure) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ value: Int64?, at index: Int32) throws(TransferFailure) {
        if let value { try bind(value, at: index) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ value: String, at index: Int32) throws(TransferFailure) {
        var value = value
        let code = value.withUTF8 { text in
            // An empty buffer may have no address, which would bind NULL.
            guard let start = text.baseAddress else { return sqlite3_bind_text(handle, index, "", 0, nil) }
            return start.withMemoryRebound(to: CChar.self, capacity: text.count) { start in
                sqlite3_bind_text64(
                    handle, index, start, UInt64(text.count), longhaul_sqlite_copies(), UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    func bind(_ value: String?, at index: Int32) throws(TransferFailure) {
        if let value { try bind(value, at: index) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    func bind(_ value: [UInt8], at index: Int32) throws(TransferFailure) {
        let code = value.withUnsafeBytes { bytes in
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), longhaul_sqlite_copies())
        }
        try check(code)
    }

    /// An identifier is bound as its sixteen bytes, which sort in the same order.
    func bind(_ id: TransferID, at index: Int32) throws(TransferFailure) {
        let code = withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { bytes in
            sqlite3_bind_blob(handle, index, bytes.baseAddress, 16, longhaul_sqlite_copies())
        }
        try check(code)
    }

    func bind(_ id: TransferID?, at index: Int32) throws(TransferFailure) {
        if let id { try bind(id, at: index) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    /// The steps of SQLite's virtual machine for this statement.
    var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// Advances to the next row; `false` after the last one. The caller resets.
    func step() throws(TransferFailure) -> Bool {
        let code = sqlite3_step(handle)
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw failure(code) }
        return code == SQLITE_ROW
    }

    /// Runs a statement without rows in its result.
    func run() throws(TransferFailure) {
        defer { reset() }
        _ = try step()
    }

    /// Prepares the statement for another run. The result repeats that of the last step, which was checked.
    func reset() {
        _ = sqlite3_reset(handle)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func number(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let length = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let length = Int(sqlite3_column_bytes(handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// Decodes a blob in SQLite's memory.
    func message<Message: WireMessage>(_ column: Int32) throws(TransferFailure) -> Message {
        let start = sqlite3_column_blob(handle, column)
        let length = Int(sqlite3_column_bytes(handle, column))
        do throws(WireError) {
            let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : length)
            return try Message.decoded(wireBytes: bytes, anchors: anchors, shared: shared)
        } catch {
            throw storeDamage("a \(Message.self) cannot be read: \(error)")
        }
    }

    func id(_ column: Int32) throws(TransferFailure) -> TransferID {
        guard let start = sqlite3_column_blob(handle, column), sqlite3_column_bytes(handle, column) == 16 else {
            throw storeDamage("an identifier does not have 16 bytes")
        }
        let high = UInt64(bigEndian: start.loadUnaligned(as: UInt64.self))
        let low = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        return TransferID(high: high, low: low)
    }

    private func check(_ code: Int32) throws(TransferFailure) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> TransferFailure {
        storeFailure(code, systemError: sqlite3_system_errno(sqlite3_db_handle(handle)))
    }
}
