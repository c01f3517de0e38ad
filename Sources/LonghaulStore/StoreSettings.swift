package import LonghaulCore

extension Store {
    /// Returns how many transfers may run at once; the defaults until they are set.
    package func limits() throws(TransferFailure) -> SessionLimits {
        let rows = try meta("limits")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : SessionLimits()
    }

    package func setLimits(_ limits: SessionLimits) throws(TransferFailure) {
        try set("limits", to: limits)
    }

    /// Returns the session's rules; none until they are set.
    package func rules() throws(TransferFailure) -> SessionRules {
        let rows = try meta("rules")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : SessionRules()
    }

    package func setRules(_ rules: SessionRules) throws(TransferFailure) {
        try set("rules", to: rules)
    }

    /// Returns the command of the credential helper; empty for none.
    package func credentialHelper() throws(TransferFailure) -> [String] {
        let rows = try meta("credentialHelper")
        defer { rows.reset() }
        return try rows.step() ? (try rows.message(0) as HelperCommand).words : []
    }

    package func setCredentialHelper(_ words: [String]) throws(TransferFailure) {
        try set("credentialHelper", to: HelperCommand(words: words))
    }

    /// Returns the current or last owner; `nil` before the first one.
    package func owner() throws(TransferFailure) -> SessionOwner? {
        let rows = try meta("owner")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : nil
    }

    package func setOwner(_ owner: SessionOwner) throws(TransferFailure) {
        try set("owner", to: owner)
    }

    package func ownerLossPolicy() throws(TransferFailure) -> OwnerLossPolicy {
        let rows = try meta("ownerLossPolicy")
        defer { rows.reset() }
        guard try rows.step() else { return .resume }
        guard let policy = OwnerLossPolicy(wireNumber: Int(rows.number(0))) else {
            throw storeDamage("the policy for a lost owner is not known")
        }
        return policy
    }

    package func setOwnerLossPolicy(_ policy: OwnerLossPolicy) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange("ownerLossPolicy")
            try change.bind(Int64(policy.wireNumber), at: 2)
            try change.run()
        }
    }

    /// Returns the last unacknowledged loss.
    package func ownerLoss() throws(TransferFailure) -> OwnerLossReport? {
        let rows = try meta("ownerLoss")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : nil
    }

    /// Stores a loss, until `nil` is set.
    package func setOwnerLoss(_ report: OwnerLossReport?) throws(TransferFailure) {
        try set("ownerLoss", to: report)
    }

    /// Returns the requests to send when processes are lost.
    package func lastWills() throws(TransferFailure) -> [LastWill] {
        let rows = try meta("lastWills")
        defer { rows.reset() }
        return try rows.step() ? (try rows.message(0) as WireList<LastWill>).items : []
    }

    package func setLastWills(_ wills: [LastWill]) throws(TransferFailure) {
        try set("lastWills", to: wills.isEmpty ? nil : WireList(wills))
    }

    /// Returns how the session's app is launched; `nil` if it has not registered.
    package func wakeRegistration() throws(TransferFailure) -> WakeRegistration? {
        let rows = try meta("wake")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : nil
    }

    package func setWakeRegistration(_ registration: WakeRegistration?) throws(TransferFailure) {
        try set("wake", to: registration)
    }

    /// Returns the facts about launches of the app.
    package func wakeRecord() throws(TransferFailure) -> WakeRecord {
        let rows = try meta("wakeRecord")
        defer { rows.reset() }
        return try rows.step() ? try rows.message(0) : WakeRecord()
    }

    package func setWakeRecord(_ record: WakeRecord) throws(TransferFailure) {
        try set("wakeRecord", to: record)
    }

    /// Returns whether the app has requested events: until then none are stored.
    package func keepsEvents() throws(TransferFailure) -> Bool {
        let rows = try meta("keepsEvents")
        defer { rows.reset() }
        return try rows.step() && rows.number(0) != 0
    }

    package func keepEvents() throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            let change = try metaChange("keepsEvents")
            try change.bind(1, at: 2)
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

    /// Stores a value under a name, or deletes it.
    func set(_ name: String, to value: (some WireMessage)?) throws(TransferFailure) {
        try write { () throws(TransferFailure) in
            guard let value else {
                let deletion = try connection.statement("delete from meta where name = ?1")
                try deletion.bind(name, at: 1)
                return try deletion.run()
            }
            let change = try metaChange(name)
            try change.bind(encoded(value), at: 2)
            try change.run()
        }
    }

    func meta(_ name: String) throws(TransferFailure) -> Statement {
        let rows = try connection.statement("select value from meta where name = ?1")
        try rows.bind(name, at: 1)
        return rows
    }

    func metaChange(_ name: String) throws(TransferFailure) -> Statement {
        let change = try connection.statement("insert or replace into meta (name, value) values (?1, ?2)")
        try change.bind(name, at: 1)
        return change
    }
}
