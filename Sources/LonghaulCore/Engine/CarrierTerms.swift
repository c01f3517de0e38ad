/// What a system that carries exchanges is told with each of them, since it begins and goes on with them when no process of ours is
/// there to decide.
package struct CarrierTerms: Equatable, Sendable {
    /// Whether it may go over a modem of the machine's own.
    package var allowsCellular = true
    /// Whether it may go over a network where traffic costs money.
    package var allowsExpensive = true
    /// Whether it may go on while the person wants little traffic.
    package var allowsConstrained = true
    /// Whether the system chooses a good moment.
    package var isDiscretionary = false
    /// Not before this date; `nil` once it has come.
    package var notBefore: WallTime?
    /// As in the queue: higher goes first.
    package var priority = 0

    package init() {}
}

/// Which conditions a carrier heeds by itself, and what it has to be told for that.
package enum CarrierPolicy {
    /// What an exchange's rules come to. Of two that differ the stricter counts. The system knows nothing of roaming by itself: where that
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

    /// What is left to be seen to by the session itself. The end of hours is nothing that a carrier could be told.
    package static func unheeded(_ rules: ConditionRules, isBegun: Bool) -> ConditionRules {
        var rest = rules
        rest.allowsExpensiveNetworkAccess = true
        rest.allowsConstrainedNetworkAccess = true
        rest.allowsRoaming = true
        rest.isDiscretionary = false
        // Of several kinds of link only the modem can be forbidden.
        if rules.links.isDisjoint(with: [.mobile]) { rest.links = [] }
        if !isBegun { rest.hours = nil }
        return rest
    }
}

/// For which transfers a carrier heeds conditions in the place of the session.
package enum CarrierReach: Equatable, Sendable {
    /// For none: nobody carries exchanges.
    case nothing
    /// For those that have begun.
    case begun
    /// Also for those that wait: they are about to be left to it.
    case everything
}
