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
    public func setRules(_ rules: SessionRules) async throws(TransferFailure) {
        try await backend.setRules(rules)
    }

    /// Returns the conditions of the machine's network and power, including what the user has set for them.
    public func conditions() async throws(TransferFailure) -> Conditions {
        try await backend.conditionsReport().effective
    }

    package func setLimits(_ limits: SessionLimits) async throws(TransferFailure) {
        try await backend.setLimits(limits)
    }
}
