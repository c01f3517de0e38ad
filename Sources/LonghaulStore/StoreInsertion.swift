package import LonghaulCore

extension Store {
    /// Adds a transfer and assigns its sequence number. `host` is the host for the per-host limit.
    ///
    /// The transfer takes its key unless its policy is `append`. Throws `keyTaken` if another transfer holds the key.
    package func insert(_ record: inout TransferRecord, host: String) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let options = record.spec.options
            let key = options.keyConflict == .append ? nil : options.key
            if let key, try holdsKey(key) {
                throw TransferFailure(.keyTaken, "The key of the transfer is taken by another one. Choose another key.")
            }
            record.sequence = counters.newestSequence + 1
            try insertRow(of: record, key: key, host: host)
            counters.newestSequence = record.sequence
        }
    }

    /// Inserts a transfer under its record's sequence number, inside a write.
    func insertRow(of record: TransferRecord, key: String?, host: String) throws(TransferFailure) {
        let insertion = try connection.statement(Self.insertion)
        try bind(record, key: key, host: host, to: insertion, from: 1)
        try insertion.run()
        let spec = try connection.statement(Self.specInsertion)
        try spec.bind(record.sequence, at: 1)
        try spec.bind(encoded(record.spec), at: 2)
        try spec.run()
        count(StateCode(record.state), by: 1)
        counters.latest = (record.id, record.sequence)
    }

    /// Adds transfers with the first line of their history, and assigns their sequence numbers. A shared statement costs a third
    /// less per transfer; keys are checked individually.
    package func insert(_ arrivals: inout [StoredTransfer]) throws(TransferFailure) {
        var next = 0
        while next < arrivals.count {
            let rows = next..<min(next + Self.rowsAtOnce, arrivals.count)
            if rows.count == Self.rowsAtOnce, arrivals[rows].allSatisfy({ $0.record.spec.options.key == nil }) {
                try insertTogether(&arrivals, rows)
            } else {
                for row in rows { try insertWithHistory(&arrivals[row]) }
            }
            next = rows.upperBound
        }
    }

    private func insertWithHistory(_ arrival: inout StoredTransfer) throws(TransferFailure) {
        try insert(&arrival.record, host: arrival.host)
        try appendHistory(
            arrival.record.id, at: arrival.record.facts.createdAt, event: Self.firstEvent, detail: "", bytesDone: 0)
    }

    private func insertTogether(_ arrivals: inout [StoredTransfer], _ rows: Range<Int>) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let insertion = try connection.statement(Self.insertionOfMany)
            let specs = try connection.statement(Self.specInsertionOfMany)
            let lines = try connection.statement(Self.lineInsertionOfMany)
            for (place, row) in zip(Int32(0)..., rows) {
                arrivals[row].record.sequence = counters.newestSequence + 1 + Int64(place)
                let record = arrivals[row].record
                try bind(record, key: nil, host: arrivals[row].host, to: insertion, from: 1 + Self.columns * place)
                try specs.bind(record.sequence, at: 1 + 2 * place)
                try specs.bind(encoded(record.spec), at: 2 + 2 * place)
                try bindFirstLine(
                    of: record, number: counters.historyNumber + 1 + Int64(place), to: lines, from: 1 + 6 * place)
            }
            try insertion.run()
            try specs.run()
            try lines.run()
            counters.newestSequence += Int64(rows.count)
            counters.historyNumber += Int64(rows.count)
            for row in rows { count(StateCode(arrivals[row].record.state), by: 1) }
        }
    }

    private func bind(
        _ record: TransferRecord, key: String?, host: String, to statement: Statement, from first: Int32
    ) throws(TransferFailure) {
        let options = record.spec.options
        try bindProgress(of: record, to: statement, from: first)
        try statement.bind(record.id, at: first + 7)
        try statement.bind(key, at: first + 8)
        try statement.bind(options.groupName, at: first + 9)
        try statement.bind(host, at: first + 10)
        try statement.bind(Int64(record.turnPriority), at: first + 11)
        try statement.bind(record.sequence, at: first + 12)
        try statement.bind(Int64(record.standing.rawValue), at: first + 13)
    }

    private func bindFirstLine(
        of record: TransferRecord, number: Int64, to statement: Statement, from first: Int32
    ) throws(TransferFailure) {
        try statement.bind(record.sequence, at: first)
        try statement.bind(number, at: first + 1)
        try statement.bind(record.facts.createdAt.microseconds, at: first + 2)
        try statement.bind(Self.firstEvent, at: first + 3)
        try statement.bind("", at: first + 4)
        try statement.bind(Int64(0), at: first + 5)
    }

    private func holdsKey(_ key: String) throws(TransferFailure) -> Bool {
        let rows = try connection.statement("select 1 from transfer where key = ?1")
        defer { rows.reset() }
        try rows.bind(key, at: 1)
        return try rows.step()
    }

    /// Returns the highest sequence number ever assigned.
    func storedNewestSequence() throws(TransferFailure) -> Int64 {
        let given = try connection.number("select seq from sqlite_sequence where name = 'transfer'") ?? 0
        return max(given, try connection.number("select coalesce(max(sequence), 0) from transfer") ?? 0)
    }

    private static let firstEvent = "submitted"
    private static let rowsAtOnce = 16
    private static let columns: Int32 = 14

    private static let head = """
        insert into transfer
            (stateCode, isEnded, until, deadline, hasCleanup, state, facts, id, key, "group", host, priority, sequence,
             standing)
        values
        """ + " "
    private static let insertion = StatementText(head + row(14))
    private static let insertionOfMany = StatementText(head + rows(14))
    private static let specInsertion = StatementText("insert into spec (sequence, spec) values (?1, ?2)")
    private static let specInsertionOfMany = StatementText("insert into spec (sequence, spec) values " + rows(2))
    private static let lineInsertionOfMany = StatementText(
        "insert into history (sequence, number, at, event, detail, bytesDone) values " + rows(6))

    private static func row(_ parameters: Int) -> String {
        "(" + [String](repeating: "?", count: parameters).joined(separator: ", ") + ")"
    }

    private static func rows(_ parameters: Int) -> String {
        [String](repeating: row(parameters), count: rowsAtOnce).joined(separator: ", ")
    }
}
