/// Terms for an exchange that the system runs. The system applies them itself, because it starts and continues exchanges while no
/// process of ours is running.
package struct CarrierTerms: Equatable, Sendable {
    /// Whether it may use a modem of this machine.
    package var allowsCellular = true
    /// Whether it may use a metered network.
    package var allowsExpensive = true
    /// Whether it may continue in the user's low-data mode.
    package var allowsConstrained = true
    /// Whether the system chooses the time.
    package var isDiscretionary = false
    /// The start time; `nil` once it has passed.
    package var notBefore: WallTime?
    /// As in the queue: higher values go first.
    package var priority = 0

    package init() {}
}

/// Translates conditions into terms, and determines which conditions the system applies itself.
package enum CarrierPolicy {
    /// Returns the terms for an exchange's rules. If they differ, the stricter rule applies. The system cannot detect roaming:
    /// without permission to roam, the exchange must not use metered networks.
    /// is not allowed, it may not use networks that cost money.
    package static func terms(
        _ rules: [ConditionRules], notBefore date: WallTime?, priority: Int, at now: WallTime, in zone: TimeZoneRules
    ) -> CarrierTerms {
        var terms = CarrierTerms()
        terms.allowsExpensive = rules.allSatisfy { $0.allowsExpensiveNetworkAccess && $0.allowsRoaming }
        terms.allowsConstrained = rules.allSatisfy(\.allowsConstrainedNetworkAccess)
        terms.allowsCellular = rules.allSatisfy { $0.links.isEmpty || $0.links.contains(.mobile) }
        terms.isDiscretionary = rules.contains(where: \.isDiscretionary)
        terms.priority = priority
        let closed = rules.compactMap(\.hours).filter { !$0.contains(minute: zone.minute(of: now)) }
        let dates = closed.map { zone.next(minute: $0.from, after: now) } + (date.map { [$0] } ?? [])
        terms.notBefore = dates.max().flatMap { $0 > now ? $0 : nil }
        return terms
    }

    /// Returns the conditions that the session must apply itself. The system cannot be given the end of the allowed hours.
    package static func unheeded(_ rules: ConditionRules, isBegun: Bool) -> ConditionRules {
        var rest = rules
        rest.allowsExpensiveNetworkAccess = true
        rest.allowsConstrainedNetworkAccess = true
        rest.allowsRoaming = true
        rest.isDiscretionary = false
        // Among several kinds of link, only the modem can be excluded.
        if rules.links.isDisjoint(with: [.mobile]) { rest.links = [] }
        if !isBegun { rest.hours = nil }
        return rest
    }
}

/// The transfers whose conditions the system applies instead of the session.
package enum CarrierReach: Equatable, Sendable {
    /// None: the system runs no exchanges.
    case nothing
    /// Transfers that have begun.
    case begun
    /// Also waiting transfers, which are about to be left to the system.
    case everything
}
