package import LonghaulCore
import LonghaulSystem

/// A record, and the host for the per-host limit.
package struct StoredTransfer: Equatable, Sendable {
    package var record: TransferRecord
    package var host: String

    package init(record: TransferRecord, host: String) {
        self.record = record
        self.host = host
    }
}

extension Store {
    /// Rewrites a transfer's state and facts. Its spec, key, and host stay: see `replaceSpec`.
    ///
    /// `stored` is the state of the row, if it is known, which saves a query. A wrong value does no harm.
    package func update(_ record: TransferRecord, since stored: TransferState? = nil) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let old: StateCode
            if let known = stored.map(StateCode.init), try change(record, from: known) {
                old = known
            } else {
                old = try stateCode(record.id, sequence: record.sequence)
                guard try change(record, from: old) else { throw storeDamage("a transfer could not be rewritten") }
            }
            count(old, by: -1)
            count(StateCode(record.state), by: 1)
            counters.latest = (record.id, record.sequence)
        }
    }

    /// Returns whether the transfer existed in this state. The identifier is compared so that a stale sequence number changes
    /// nothing.
    private func change(_ record: TransferRecord, from old: StateCode) throws(TransferFailure) -> Bool {
        let change = try connection.statement(Self.rewriting)
        try bindProgress(of: record, to: change)
        try change.bind(record.sequence, at: 8)
        try change.bind(record.id, at: 9)
        try change.bind(old.number, at: 10)
        try change.run()
        return connection.changes == 1
    }

    private static let rewriting = StatementText(
        """
        update transfer set stateCode = ?1, isEnded = ?2, until = ?3, deadline = ?4, hasCleanup = ?5, state = ?6,
            facts = ?7
        where sequence = ?8 and id = ?9 and stateCode = ?10
        """)

    /// Rewrites a transfer's spec, its group, and the host for the per-host limit. The key stays.
    package func replaceSpec(of record: TransferRecord, host: String) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let spec = try connection.statement("update spec set spec = ?1 where sequence = ?2")
            try spec.bind(encoded(record.spec), at: 1)
            try spec.bind(record.sequence, at: 2)
            try spec.run()
            let change = try connection.statement(
                #"update transfer set host = ?1, "group" = ?2, standing = ?3 where sequence = ?4"#)
            try change.bind(host, at: 1)
            try change.bind(record.spec.options.groupName, at: 2)
            try change.bind(Int64(record.standing.rawValue), at: 3)
            try change.bind(record.sequence, at: 4)
            try change.run()
        }
    }

    /// Rewrites the priority for the queue of the next opening.
    package func setPriority(of record: TransferRecord) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try connection.statement("update transfer set priority = ?1 where sequence = ?2")
            try change.bind(Int64(record.turnPriority), at: 1)
            try change.bind(record.sequence, at: 2)
            try change.run()
        }
    }

    /// Deletes a transfer with its history, if it exists.
    package func delete(_ id: TransferID) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            guard let sequence = try sequence(of: id) else { return }
            count(try stateCode(id, sequence: sequence), by: -1)
            for table in ["transfer", "spec", "history"] {
                let deletion = try connection.statement("delete from \(table) where sequence = ?1")
                try deletion.bind(sequence, at: 1)
                try deletion.run()
            }
            counters.latest = nil
        }
    }

    /// Removes the key from a transfer, for the one that replaces it; the record itself still has the key of its submission.
    package func releaseKey(of id: TransferID) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try connection.statement("update transfer set key = null where id = ?1")
            try change.bind(id, at: 1)
            try change.run()
        }
    }

    package func transfer(_ id: TransferID) throws(TransferFailure) -> StoredTransfer? {
        let rows = try connection.statement(Self.selectByID)
        defer { rows.reset() }
        try rows.bind(id, at: 1)
        return try rows.step() ? StoredTransfer(record: try record(from: rows), host: rows.text(5)) : nil
    }

    package func record(_ id: TransferID) throws(TransferFailure) -> TransferRecord? {
        try transfer(id)?.record
    }

    /// Returns the transfer that holds this key.
    package func record(key: String) throws(TransferFailure) -> TransferRecord? {
        let rows = try connection.statement(Self.selectByKey)
        defer { rows.reset() }
        try rows.bind(key, at: 1)
        return try rows.step() ? try record(from: rows) : nil
    }

    /// Returns the ended transfers with pending cleanup, in order of submission.
    package func pendingCleanup() throws(TransferFailure) -> [TransferID] {
        let rows = try connection.statement("select id from transfer where hasCleanup = 1 order by sequence")
        defer { rows.reset() }
        var ids: [TransferID] = []
        while try rows.step() { ids.append(try rows.id(0)) }
        return ids
    }

    static let selectRecord = """
        select t.sequence, t.id, t.state, t.facts, s.spec, t.host
        from transfer t left join spec s on s.sequence = t.sequence
        """
    private static let selectByID = StatementText(selectRecord + " where t.id = ?1")
    private static let selectByKey = selectRecord + " where t.key = ?1"

    /// Decodes the current row of a statement that begins with `selectRecord`.
    func record(from row: Statement) throws(TransferFailure) -> TransferRecord {
        guard !row.isNull(4) else { throw storeDamage("a transfer has no spec") }
        let id = try row.id(1)
        let note = TrapNote(id, .reading)
        defer { note.end() }
        let facts: TransferFacts = try row.message(3)
        var record = TransferRecord(
            id: id, spec: try row.message(4), state: try row.message(2), createdAt: facts.createdAt)
        record.sequence = row.number(0)
        record.facts = facts
        return record
    }

    func sequence(of id: TransferID) throws(TransferFailure) -> Int64? {
        if let latest = counters.latest, latest.id == id { return latest.sequence }
        let rows = try connection.statement("select sequence from transfer where id = ?1")
        defer { rows.reset() }
        try rows.bind(id, at: 1)
        return try rows.step() ? rows.number(0) : nil
    }

    /// Returns the stored state of a transfer. The identifier is compared so that a stale sequence number changes nothing.
    private func stateCode(_ id: TransferID, sequence: Int64) throws(TransferFailure) -> StateCode {
        let rows = try connection.statement("select stateCode, id from transfer where sequence = ?1")
        defer { rows.reset() }
        try rows.bind(sequence, at: 1)
        guard try rows.step(), try rows.id(1) == id else {
            throw TransferFailure(.unknownTransfer, "The transfer \(id) is not in this session.")
        }
        return StateCode(number: rows.number(0))
    }

    /// Binds the changing values of a transfer to seven parameters, from `first` on.
    func bindProgress(
        of record: TransferRecord, to statement: Statement, from first: Int32 = 1
    ) throws(TransferFailure) {
        var until: WallTime?
        if case .waiting(let waiting) = record.state { until = waiting.until }
        // Read once, because each access copies them.
        let facts = record.facts
        try statement.bind(StateCode(record.state).number, at: first)
        try statement.bind(record.state.isEnded ? 1 : 0, at: first + 1)
        try statement.bind(until?.microseconds, at: first + 2)
        try statement.bind(facts.deadline.microseconds, at: first + 3)
        try statement.bind(facts.cleanup.isEmpty ? 0 : 1, at: first + 4)
        try statement.bind(encoded(record.state), at: first + 5)
        try statement.bind(encoded(facts), at: first + 6)
    }

    func encoded(_ message: some WireMessage) -> [UInt8] {
        connection.writer.reset()
        message.encode(into: &connection.writer)
        return connection.writer.bytes
    }
}
