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

    /// The command that is asked for credentials; empty for none.
    package func credentialHelper() throws(TransferFailure) -> [String] {
        let rows = try meta("credentialHelper")
        defer { rows.reset() }
        return try rows.step() ? (try rows.message(0) as HelperCommand).words : []
    }

    package func setCredentialHelper(_ words: [String]) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange("credentialHelper")
            try change.bind(HelperCommand(words: words).wireBytes, at: 2)
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

    /// Who has the session, or had it last; `nil` before the first owner.
    package func owner() throws(TransferFailure) -> SessionOwner? {
        let rows = try meta("owner")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : nil
    }

    package func setOwner(_ owner: SessionOwner) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange("owner")
            try change.bind(owner.wireBytes, at: 2)
            try change.run()
        }
    }

    package func ownerLossPolicy() throws(TransferFailure) -> OwnerLossPolicy {
        let rows = try meta("ownerLossPolicy")
        defer { rows.reset() }
        guard try rows.step() else { return .goOn }
        guard let policy = OwnerLossPolicy(rawValue: Int(rows.number(0))) else {
            throw storeDamage("the policy for a lost owner is not known")
        }
        return policy
    }

    package func setOwnerLossPolicy(_ policy: OwnerLossPolicy) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange("ownerLossPolicy")
            try change.bind(Int64(policy.rawValue), at: 2)
            try change.run()
        }
    }

    /// The last loss that nobody has acknowledged.
    package func ownerLoss() throws(TransferFailure) -> OwnerLossReport? {
        let rows = try meta("ownerLoss")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : nil
    }

    /// Keeps a loss until `nil` is set.
    package func setOwnerLoss(_ report: OwnerLossReport?) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            guard let report else {
                let deletion = try connection.statement("delete from meta where name = 'ownerLoss'")
                return try deletion.run()
            }
            let change = try metaChange("ownerLoss")
            try change.bind(report.wireBytes, at: 2)
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
