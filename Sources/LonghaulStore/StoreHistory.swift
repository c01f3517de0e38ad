package import LonghaulCore

extension Store {
    /// How many lines of history a transfer keeps: the newest.
    package static let historyLimit = 200

    /// Adds a line to a transfer's history. Numbers rise by one through the whole session and are not used again.
    package func appendHistory(
        _ id: TransferID, at time: WallTime, event: String, detail: String, bytesDone: Int64
    ) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            guard let sequence = try sequence(of: id) else {
                throw TransferFailure(.unknownTransfer, "The transfer \(id) is not in this session.")
            }
            counters.latest = (id, sequence)
            let number = counters.historyNumber + 1
            let line = try connection.statement(
                "insert into history (sequence, number, at, event, detail, bytesDone) values (?1, ?2, ?3, ?4, ?5, ?6)")
            try line.bind(sequence, at: 1)
            try line.bind(number, at: 2)
            try line.bind(time.microseconds, at: 3)
            try line.bind(event, at: 4)
            try line.bind(detail, at: 5)
            try line.bind(bytesDone, at: 6)
            try line.run()
            counters.historyNumber = number
            if Self.isTrimming(number) { try trimHistory(sequence) }
        }
    }

    /// A transfer's newest lines, in order; empty when it is not there.
    package func history(of id: TransferID) throws(TransferFailure) -> [HistoryEntry] {
        guard let sequence = try sequence(of: id) else { return [] }
        let rows = try connection.statement(
            """
            select number, at, event, detail, bytesDone from history where sequence = ?1
            order by number desc limit \(Self.historyLimit)
            """)
        defer { rows.reset() }
        try rows.bind(sequence, at: 1)
        var entries: [HistoryEntry] = []
        while try rows.step() {
            entries.append(
                HistoryEntry(
                    number: rows.number(0), at: WallTime(microseconds: rows.number(1)), event: rows.text(2),
                    detail: rows.text(3), bytesDone: rows.number(4)))
        }
        return entries.reversed()
    }

    /// Whether the line with this number also trims. One of 32 does, spread so that transfers which write in turn all get
    /// theirs; readers take the newest only, so lines beyond the limit are never seen.
    private static func isTrimming(_ number: Int64) -> Bool {
        (UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15) >> 59 == 0
    }

    private func trimHistory(_ sequence: Int64) throws(TransferFailure) {
        let deletion = try connection.statement(
            """
            delete from history where sequence = ?1 and number <= (
                select number from history where sequence = ?1 order by number desc limit 1 offset \(Self.historyLimit))
            """)
        try deletion.bind(sequence, at: 1)
        try deletion.run()
    }
}
