import LonghaulCore

/// Restores rows from a damaged store, with their numbers.
extension Store {
    /// Adds a transfer under the sequence number of its record.
    func restore(_ record: TransferRecord, key: String?, host: String) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            try insertRow(of: record, key: key, host: host)
            counters.newestSequence = max(counters.newestSequence, record.sequence)
        }
    }

    /// Adds a line of a transfer's history, unless it exists already.
    func restoreLine(of sequence: Int64, number: Int64, _ line: HistoryRow) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let insertion = try connection.statement(Self.lineRestoring)
            try insertion.bind(sequence, at: 1)
            try insertion.bind(number, at: 2)
            try insertion.bind(line.at.microseconds, at: 3)
            try insertion.bind(line.event, at: 4)
            try insertion.bind(line.detail, at: 5)
            try insertion.bind(line.bytesDone, at: 6)
            try insertion.run()
        }
    }

    private static let lineRestoring = StatementText(
        "insert or ignore into history (sequence, number, at, event, detail, bytesDone) values (?1, ?2, ?3, ?4, ?5, ?6)"
    )

    /// Adds an event under its own number.
    func restore(_ event: EventRecord, wakes: Bool) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let insertion = try connection.statement(
                """
                insert or replace into event (number, at, kind, wakes, transfer, detail)
                values (?1, ?2, ?3, ?4, ?5, ?6)
                """)
            try insertion.bind(event.number, at: 1)
            try insertion.bind(event.at.microseconds, at: 2)
            try insertion.bind(Int64(event.kind.rawValue), at: 3)
            try insertion.bind(Int64(wakes ? 1 : 0), at: 4)
            try insertion.bind(event.transfer, at: 5)
            if let tap = event.tap {
                try insertion.bind(tap.wireBytes, at: 6)
            } else {
                try insertion.bind(nil as String?, at: 6)
            }
            try insertion.run()
        }
    }

    func restoreSetting(_ name: String, number: Int64) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange(name)
            try change.bind(number, at: 2)
            try change.run()
        }
    }

    func restoreSetting(_ name: String, bytes: [UInt8]) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange(name)
            try change.bind(bytes, at: 2)
            try change.run()
        }
    }

    /// Notes the numbers that were assigned before and must not be reused.
    func restoreNumbers(sequence: Int64, event: Int64, line: Int64) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            for (table, number) in [("transfer", sequence), ("event", event)] {
                let deletion = try connection.statement("delete from sqlite_sequence where name = ?1")
                try deletion.bind(table, at: 1)
                try deletion.run()
                let insertion = try connection.statement("insert into sqlite_sequence (name, seq) values (?1, ?2)")
                try insertion.bind(table, at: 1)
                try insertion.bind(number, at: 2)
                try insertion.run()
            }
            counters.newestSequence = sequence
            counters.historyNumber = line
        }
    }
}
