package import LonghaulCore

/// Events that the app has not acknowledged. `docs/internals/store-format.md` explains what is stored and when it is withdrawn.
extension Store {
    /// Adds an event and returns its number, which increases and is never reused. An earlier event of the same kind for the same
    /// transfer is replaced, unless it is a tap. `wakes` means that the app is launched for it.
    @discardableResult
    package func addEvent(
        _ kind: EventRecord.Kind, transfer: TransferID?, tap: NotificationTap? = nil, wakes: Bool, at time: WallTime
    ) throws(TransferFailure) -> Int64 {
        if tap == nil { try withdrawEvents(kind, of: transfer) }
        var number: Int64 = 0
        try write { () throws(TransferFailure) in
            let insertion = try connection.statement(
                "insert into event (at, kind, wakes, transfer, detail) values (?1, ?2, ?3, ?4, ?5)")
            try insertion.bind(time.microseconds, at: 1)
            try insertion.bind(Int64(kind.rawValue), at: 2)
            try insertion.bind(Int64(wakes ? 1 : 0), at: 3)
            try insertion.bind(transfer, at: 4)
            if let tap {
                try insertion.bind(tap.wireBytes, at: 5)
            } else {
                try insertion.bind(nil as String?, at: 5)
            }
            try insertion.run()
            number = connection.lastRowID
        }
        return number
    }

    /// Deletes the events of a kind about a transfer, or of a kind without a transfer.
    package func withdrawEvents(_ kind: EventRecord.Kind, of transfer: TransferID?) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let deletion: Statement
            if let transfer {
                deletion = try connection.statement("delete from event where transfer = ?2 and kind = ?1")
                try deletion.bind(transfer, at: 2)
            } else {
                deletion = try connection.statement("delete from event where transfer is null and kind = ?1")
            }
            try deletion.bind(Int64(kind.rawValue), at: 1)
            try deletion.run()
        }
    }

    /// Deletes every event about a transfer.
    package func withdrawEvents(of transfer: TransferID) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let deletion = try connection.statement("delete from event where transfer = ?1")
            try deletion.bind(transfer, at: 1)
            try deletion.run()
        }
    }

    /// Deletes the events up to a number.
    package func acknowledgeEvents(through number: Int64) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let deletion = try connection.statement("delete from event where number <= ?1")
            try deletion.bind(number, at: 1)
            try deletion.run()
        }
    }

    /// Returns the next events after a number, in order, at most `limit`.
    package func events(after number: Int64, limit: Int) throws(TransferFailure) -> [EventRecord] {
        let rows = try connection.statement(
            "select number, at, kind, transfer, detail from event where number > ?1 order by number limit ?2")
        defer { rows.reset() }
        try rows.bind(number, at: 1)
        try rows.bind(Int64(limit), at: 2)
        var events: [EventRecord] = []
        while try rows.step() { events.append(try event(from: rows)) }
        return events
    }

    /// Returns the newest event for which the app is launched.
    package func newestWakingEvent() throws(TransferFailure) -> EventRecord? {
        let rows = try connection.statement(
            "select number, at, kind, transfer, detail from event where wakes = 1 order by number desc limit 1")
        defer { rows.reset() }
        return try rows.step() ? try event(from: rows) : nil
    }

    /// Returns the highest number of an event; 0 without events.
    package func newestEventNumber() throws(TransferFailure) -> Int64 {
        try connection.number("select max(number) from event") ?? 0
    }

    /// Returns whether an event of a kind without a transfer exists.
    package func hasEvent(_ kind: EventRecord.Kind) throws(TransferFailure) -> Bool {
        let rows = try connection.statement("select 1 from event where transfer is null and kind = ?1")
        defer { rows.reset() }
        try rows.bind(Int64(kind.rawValue), at: 1)
        return try rows.step()
    }

    package func eventCount() throws(TransferFailure) -> Int {
        Int(try connection.number("select count(*) from event") ?? 0)
    }

    private func event(from row: Statement) throws(TransferFailure) -> EventRecord {
        guard let kind = EventRecord.Kind(rawValue: Int(row.number(2))) else {
            throw storeDamage("an event is of no known kind")
        }
        return EventRecord(
            number: row.number(0), at: WallTime(microseconds: row.number(1)), kind: kind,
            transfer: row.isNull(3) ? nil : try row.id(3), tap: row.isNull(4) ? nil : try row.message(4))
    }
}
