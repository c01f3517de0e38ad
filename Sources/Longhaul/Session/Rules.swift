extension TransferSession {
    /// Returns the rules and limits in force.
    public func rules() async throws(TransferFailure) -> SessionRules {
        var rules = try await backend.rules().rules
        rules.limits = try await backend.limits()
        return rules
    }

    /// Stores new rules and limits and applies them at once, even to running transfers.
    ///
    /// ```swift
    /// var rules = try await session.rules()
    /// rules.conditions.allowsExpensiveNetworkAccess = false
    /// rules.rateLimit = 2 << 20
    /// try await session.setRules(rules)
    /// ```
    ///
    /// Fails with `invalidArgument` for rules or limits that are not possible, and then changes nothing.
    ///
    /// - Returns: The properties of the conditions that have no effect now, such as `links`, because no source on this
    ///   system reports what they depend on. On Linux, NetworkManager, ModemManager, UPower, and logind report it.
    @discardableResult
    public func setRules(_ rules: SessionRules) async throws(TransferFailure) -> [String] {
        try await backend.setRules(rules)
        guard rules.conditions != ConditionRules() else { return [] }
        return rules.conditions.unreportedProperties(in: try await backend.conditionsReport().effective)
    }

    /// Returns the conditions of the machine's network and power, including what the user has set for them. Rules about
    /// a value that is `nil` or unknown hold no transfer back.
    public func conditions() async throws(TransferFailure) -> Conditions {
        try await backend.conditionsReport().effective
    }

    package func setLimits(_ limits: SessionLimits) async throws(TransferFailure) {
        try await backend.setLimits(limits)
    }
}
