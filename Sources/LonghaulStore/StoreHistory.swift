package import LonghaulCore

extension Store {
    /// The number of history lines kept for a transfer, the newest ones.
    package static let historyLimit = 200

    /// A line without a number yet.
    package struct HistoryRow: Sendable {
        package var at: WallTime
        package var event: String
        package var detail: String
        package var bytesDone: Int64

        package init(at: WallTime, event: String, detail: String, bytesDone: Int64) {
            self.at = at
            self.event = event
            self.detail = detail
            self.bytesDone = bytesDone
        }
    }

    /// Adds a line to a transfer's history. Numbers increase by one through the whole session and are never reused.
    package func appendHistory(
        _ id: TransferID, at time: WallTime, event: String, detail: String, bytesDone: Int64
    ) throws(TransferFailure) {
        try appendHistory(id, [HistoryRow(at: time, event: event, detail: detail, bytesDone: bytesDone)])
    }

    /// Adds lines to a transfer's history; several of them share one statement.
    package func appendHistory(_ id: TransferID, _ rows: [HistoryRow]) throws(TransferFailure) {
        guard !rows.isEmpty else { return }
        try write { () throws(TransferFailure) in
            guard let sequence = try sequence(of: id) else {
                throw TransferFailure(.unknownTransfer, "The transfer \(id) is not in this session.")
            }
            counters.latest = (id, sequence)
            let first = counters.historyNumber + 1
            for start in stride(from: 0, to: rows.count, by: Self.insertions.count) {
                try append(rows[start...].prefix(Self.insertions.count), to: sequence)
            }
            if (first...counters.historyNumber).contains(where: Self.isTrimming) { try trimHistory(sequence) }
        }
    }

    private func append(_ rows: ArraySlice<HistoryRow>, to sequence: Int64) throws(TransferFailure) {
        let lines = try connection.statement(Self.insertions[rows.count - 1])
        var parameter: Int32 = 1
        for row in rows {
            counters.historyNumber += 1
            try lines.bind(sequence, at: parameter)
            try lines.bind(counters.historyNumber, at: parameter + 1)
            try lines.bind(row.at.microseconds, at: parameter + 2)
            try lines.bind(row.event, at: parameter + 3)
            try lines.bind(connection.anchors.stored(row.detail), at: parameter + 4)
            try lines.bind(row.bytesDone, at: parameter + 5)
            parameter += 6
        }
        try lines.run()
    }

    /// For one, two, three, and four lines.
    private static let insertions = (1...4).map { count in
        StatementText(
            "insert into history (sequence, number, at, event, detail, bytesDone) values "
                + [String](repeating: "(?, ?, ?, ?, ?, ?)", count: count).joined(separator: ", "))
    }

    /// Returns a transfer's newest lines, in order; empty if it does not exist.
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
                    detail: connection.anchors.current(rows.text(3)), bytesDone: rows.number(4)))
        }
        return entries.reversed()
    }

    /// Whether the line with this number also trims. One in 32 does, spread so that transfers that write in turn are all trimmed;
    /// readers take only the newest lines, so lines beyond the limit are never visible.
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
