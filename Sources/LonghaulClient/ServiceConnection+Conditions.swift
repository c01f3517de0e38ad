package import LonghaulCore
import LonghaulIPC

/// Conditions, rules, and rate limits.
extension ServiceConnection {
    /// Returns the measured conditions and the manual overrides.
    package func conditions() async throws(TransferFailure) -> ConditionsReport {
        guard case .conditions(let report) = try await core.call(.conditions) else { throw .unexpectedAnswer }
        return report
    }

    /// Overrides the conditions manually for all sessions; kept until the next override.
    package func setOverride(_ override: ConditionsOverride) async throws(TransferFailure) -> ConditionsReport {
        guard case .conditions(let report) = try await core.call(.setOverride(override)) else {
            throw .unexpectedAnswer
        }
        return report
    }

    /// Returns the limits for all sessions together, and the usage of their data budget.
    package func traffic() async throws(TransferFailure) -> UserTrafficReport {
        guard case .traffic(let report) = try await core.call(.traffic) else { throw .unexpectedAnswer }
        return report
    }

    /// Sets the limits for all sessions together; they take effect at once and are stored.
    package func setTraffic(_ limits: TrafficLimits) async throws(TransferFailure) -> UserTrafficReport {
        guard case .traffic(let report) = try await core.call(.setTraffic(limits)) else { throw .unexpectedAnswer }
        return report
    }

    /// Returns a session's rules, and the usage of its data budget.
    package func rules(of session: SessionID) async throws(TransferFailure) -> SessionRulesReport {
        guard case .rules(let report) = try await send(.rules, of: session) else { throw .unexpectedAnswer }
        return report
    }

    /// Sets a session's rules; they take effect at once, on running transfers too, and are stored.
    package func setRules(_ rules: SessionRules, of session: SessionID) async throws(TransferFailure) {
        guard case .rules = try await send(.setRules(rules), of: session) else { throw .unexpectedAnswer }
    }

    /// Changes transfers that have not ended.
    package func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection, in session: SessionID
    ) async throws(TransferFailure) -> ControlAnswer {
        guard case .controlled(let answer) = try await send(.adjust(adjustment, selection), of: session) else {
            throw .unexpectedAnswer
        }
        return answer
    }
}
