package import LonghaulCore

/// A record, and what the limit for one host counts it with.
package struct StoredTransfer: Equatable, Sendable {
    package var record: TransferRecord
    package var host: String
}

extension Store {
    /// Adds a transfer and gives it its sequence number. `host` is what the limit for one host counts it with.
    ///
    /// Its key is taken by it unless its policy is `append`; `keyTaken` when another transfer holds the key.
    package func insert(_ record: inout TransferRecord, host: String) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let options = record.spec.options
            let key = options.keyConflict == .append ? nil : options.key
            if let key, try holdsKey(key) {
                throw TransferFailure(.keyTaken, "The key of the transfer is taken by another one. Choose another key.")
            }
            let insertion = try connection.statement(
                """
                insert into transfer
                    (stateCode, isEnded, until, deadline, hasCleanup, state, facts, id, key, "group", host, priority)
                values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
                """)
            try bindProgress(of: record, to: insertion)
            try insertion.bind(record.id, at: 8)
            try insertion.bind(key, at: 9)
            try insertion.bind(options.group, at: 10)
            try insertion.bind(host, at: 11)
            try insertion.bind(Int64(options.turnPriority), at: 12)
            try insertion.run()
            record.sequence = connection.lastRowID

            let spec = try connection.statement("insert into spec (sequence, spec) values (?1, ?2)")
            try spec.bind(record.sequence, at: 1)
            try spec.bind(encoded(record.spec), at: 2)
            try spec.run()
            count(StateCode(record.state), by: 1)
            counters.latest = (record.id, record.sequence)
        }
    }

    /// Rewrites a transfer's state and facts. What was asked for, its key and its host stay: see `replaceSpec`.
    package func update(_ record: TransferRecord) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let old = try stateCode(record.id, sequence: record.sequence)
            let change = try connection.statement(
                """
                update transfer set stateCode = ?1, isEnded = ?2, until = ?3, deadline = ?4, hasCleanup = ?5, state = ?6,
                    facts = ?7
                where sequence = ?8
                """)
            try bindProgress(of: record, to: change)
            try change.bind(record.sequence, at: 8)
            try change.run()
            count(old, by: -1)
            count(StateCode(record.state), by: 1)
            counters.latest = (record.id, record.sequence)
        }
    }

    /// Rewrites what was asked for, and the host that the limit for one host counts it with. Key and group stay.
    package func replaceSpec(of record: TransferRecord, host: String) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let spec = try connection.statement("update spec set spec = ?1 where sequence = ?2")
            try spec.bind(encoded(record.spec), at: 1)
            try spec.bind(record.sequence, at: 2)
            try spec.run()
            let change = try connection.statement("update transfer set host = ?1 where sequence = ?2")
            try change.bind(host, at: 1)
            try change.bind(record.sequence, at: 2)
            try change.run()
        }
    }

    /// Deletes a transfer with its history; one that is not there is fine.
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

    /// Takes the key from a transfer, for the one that replaces it; the record itself still tells the key it was
    /// submitted with.
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

    /// The transfer that holds this key.
    package func record(key: String) throws(TransferFailure) -> TransferRecord? {
        let rows = try connection.statement(Self.selectByKey)
        defer { rows.reset() }
        try rows.bind(key, at: 1)
        return try rows.step() ? try record(from: rows) : nil
    }

    /// Transfers that have ended and left work behind, in order of submission.
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
    private static let selectByID = selectRecord + " where t.id = ?1"
    private static let selectByKey = selectRecord + " where t.key = ?1"

    /// Decodes the present row of a statement that begins with `selectRecord`.
    func record(from row: Statement) throws(TransferFailure) -> TransferRecord {
        guard !row.isNull(4) else { throw storeDamage("a transfer lacks what it was asked for") }
        let facts: TransferFacts = try row.message(3)
        var record = TransferRecord(
            id: try row.id(1), spec: try row.message(4), state: try row.message(2), createdAt: facts.createdAt)
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

    private func holdsKey(_ key: String) throws(TransferFailure) -> Bool {
        let rows = try connection.statement("select 1 from transfer where key = ?1")
        defer { rows.reset() }
        try rows.bind(key, at: 1)
        return try rows.step()
    }

    /// The state a transfer has in the store. The identifier is compared so that a stale sequence number changes nothing.
    private func stateCode(_ id: TransferID, sequence: Int64) throws(TransferFailure) -> StateCode {
        let rows = try connection.statement("select stateCode, id from transfer where sequence = ?1")
        defer { rows.reset() }
        try rows.bind(sequence, at: 1)
        guard try rows.step(), try rows.id(1) == id else {
            throw TransferFailure(.unknownTransfer, "The transfer \(id) is not in this session.")
        }
        return StateCode(number: rows.number(0))
    }

    /// Binds what changes in a transfer's life to the parameters 1 to 7.
    private func bindProgress(of record: TransferRecord, to statement: Statement) throws(TransferFailure) {
        var until: WallTime?
        if case .waiting(let waiting) = record.state { until = waiting.until }
        let deadline = record.facts.deadline
        try statement.bind(StateCode(record.state).number, at: 1)
        try statement.bind(record.state.isEnded ? 1 : 0, at: 2)
        try statement.bind(until?.microseconds, at: 3)
        try statement.bind(deadline.microseconds, at: 4)
        try statement.bind(record.facts.cleanup.isEmpty ? 0 : 1, at: 5)
        try statement.bind(encoded(record.state), at: 6)
        try statement.bind(encoded(record.facts), at: 7)
    }

    private func encoded(_ message: some WireMessage) -> [UInt8] {
        writer.reset()
        message.encode(into: &writer)
        return writer.bytes
    }
}
