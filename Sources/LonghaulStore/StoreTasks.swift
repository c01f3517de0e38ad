package import LonghaulCore

/// Background tasks: one row for each identifier.
extension Store {
    /// How many idle tasks are kept; those that ended last.
    private static let idleLimit: Int64 = 100

    package func setTask(_ record: BackgroundTaskRecord) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try connection.statement(
                "insert or replace into task (identifier, endedAt, record) values (?1, ?2, ?3)")
            let endedAt = record.isIdle ? record.last?.endedAt.microseconds ?? 0 : nil
            try change.bind(record.identifier, at: 1)
            try change.bind(endedAt, at: 2)
            try change.bind(record.wireBytes, at: 3)
            try change.run()
            guard record.isIdle else { return }
            let pruning = try connection.statement(
                """
                delete from task where identifier in
                (select identifier from task where endedAt is not null order by endedAt desc limit -1 offset ?1)
                """)
            try pruning.bind(Self.idleLimit, at: 1)
            try pruning.run()
        }
    }

    package func deleteTask(_ identifier: String) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let deletion = try connection.statement("delete from task where identifier = ?1")
            try deletion.bind(identifier, at: 1)
            try deletion.run()
        }
    }

    package func task(_ identifier: String) throws(TransferFailure) -> BackgroundTaskRecord? {
        let rows = try connection.statement("select record from task where identifier = ?1")
        defer { rows.reset() }
        try rows.bind(identifier, at: 1)
        return try rows.step() ? try rows.message(0) : nil
    }

    /// Returns the tasks after an identifier, in order.
    package func tasks(
        after identifier: String?, limit: Int
    ) throws(TransferFailure) -> [BackgroundTaskRecord] {
        let rows = try connection.statement(
            "select record from task where identifier > ?1 order by identifier limit ?2")
        defer { rows.reset() }
        try rows.bind(identifier ?? "", at: 1)
        try rows.bind(Int64(limit), at: 2)
        var records: [BackgroundTaskRecord] = []
        while try rows.step() { records.append(try rows.message(0)) }
        return records
    }

    /// Passes every task to `body`.
    package func forEachTask(
        _ body: (BackgroundTaskRecord) throws(TransferFailure) -> Void
    ) throws(TransferFailure) {
        let rows = try connection.statement("select record from task")
        defer { rows.reset() }
        while try rows.step() { try body(try rows.message(0)) }
    }

    package func taskSettings() throws(TransferFailure) -> BackgroundTaskSettings {
        let rows = try meta("taskSettings")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : BackgroundTaskSettings()
    }

    package func setTaskSettings(_ settings: BackgroundTaskSettings) throws(TransferFailure) {
        try set("taskSettings", to: settings)
    }

    package func taskThrottle() throws(TransferFailure) -> BackgroundTaskThrottle {
        let rows = try meta("taskThrottle")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : BackgroundTaskThrottle()
    }

    package func setTaskThrottle(_ throttle: BackgroundTaskThrottle) throws(TransferFailure) {
        try set("taskThrottle", to: throttle)
    }
}
