package import LonghaulCore

extension Store {
    /// How many transfers may run at once; the defaults until they are set.
    package func limits() throws(TransferFailure) -> SessionLimits {
        let rows = try meta("limits")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : SessionLimits()
    }

    package func setLimits(_ limits: SessionLimits) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange("limits")
            try change.bind(limits.wireBytes, at: 2)
            try change.run()
        }
    }

    /// The boot during which the store was last written to, as its owner noted it.
    package func bootID() throws(TransferFailure) -> String? {
        let rows = try meta("bootID")
        defer { rows.reset() }
        return try rows.step() ? rows.text(0) : nil
    }

    package func setBootID(_ bootID: String) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange("bootID")
            try change.bind(bootID, at: 2)
            try change.run()
        }
    }

    func storedHistoryNumber() throws(TransferFailure) -> Int64 {
        let rows = try meta("historyNumber")
        defer { rows.reset() }
        return try rows.step() ? rows.number(0) : 0
    }

    func storeHistoryNumber() throws(TransferFailure) {
        let change = try metaChange("historyNumber")
        try change.bind(counters.historyNumber, at: 2)
        try change.run()
    }

    private func meta(_ name: String) throws(TransferFailure) -> Statement {
        let rows = try connection.statement("select value from meta where name = ?1")
        try rows.bind(name, at: 1)
        return rows
    }

    private func metaChange(_ name: String) throws(TransferFailure) -> Statement {
        let change = try connection.statement("insert or replace into meta (name, value) values (?1, ?2)")
        try change.bind(name, at: 1)
        return change
    }
}
