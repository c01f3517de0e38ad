import LonghaulIPC

/// When and how fast the session's bytes move.
extension TransferSession {
    /// The rules in force.
    public func rules() async throws(TransferFailure) -> SessionRules {
        try await backend.rules().rules
    }

    /// Sets the rules; they take effect at once, on running transfers too, and are kept.
    ///
    /// ```swift
    /// var rules = try await session.rules()
    /// rules.conditions.allowsExpensiveNetworkAccess = false
    /// rules.traffic.rateLimit = 2 << 20
    /// try await session.setRules(rules)
    /// ```
    public func setRules(_ rules: SessionRules) async throws(TransferFailure) {
        try await backend.setRules(rules)
    }

    /// What is known of the machine's network and power, with what the person said about it.
    public func conditions() async throws(TransferFailure) -> Conditions {
        try await backend.conditionsReport().effective
    }
}

extension Transfer {
    /// Sets the transfer's rate limit, in bytes a second; `nil` lifts it. Fails with `invalidState` when the transfer has ended.
    public func setRateLimit(_ bytesPerSecond: Int64?) async throws(TransferFailure) {
        try await adjust(TransferAdjustment(rateLimit: bytesPerSecond ?? 0))
    }

    /// Lets the transfer run whatever the conditions are, its hours and the data budget included: "download anyway". Fails with
    /// `invalidState` when the transfer has ended.
    public func ignoreConditions(_ ignores: Bool = true) async throws(TransferFailure) {
        try await adjust(TransferAdjustment(ignoresConditions: ignores))
    }

    private func adjust(_ adjustment: TransferAdjustment) async throws(TransferFailure) {
        let answer = try await backend.adjust(adjustment, .ids([id]))
        if let refusal = answer.refusals.first { throw refusal.failure }
    }
}
