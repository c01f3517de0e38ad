/// When and how fast the session's bytes may move: what the session says, what is around it, and when the clock alone changes
/// that.
package struct ConditionMachine: Equatable, Sendable {
    package private(set) var rules: SessionRules
    package private(set) var surroundings: Surroundings
    /// When the conditions are looked at again because of the clock.
    package private(set) var reviewAt: WallTime?
    /// What is not ours to decide.
    package private(set) var reach = CarrierReach.nothing

    package init(_ rules: SessionRules = SessionRules(), _ surroundings: Surroundings = Surroundings()) {
        self.rules = SessionRules(conditions: rules.conditions, traffic: rules.traffic)
        self.surroundings = surroundings
    }

    mutating func set(_ new: SessionRules) -> [SessionEffect] {
        if let refusal = new.refusal { return [.refuse(refusal)] }
        // The limits belong to the queue, and have a setting of their own.
        rules = SessionRules(conditions: new.conditions, traffic: new.traffic)
        return [.write(.rules(rules)), .reviewTransfers]
    }

    mutating func note(_ new: Surroundings) -> [SessionEffect] {
        let old = surroundings
        surroundings = new
        // A rate alone changes nobody's state.
        return old.conditions == new.conditions && old.traffic == new.traffic ? [] : [.reviewTransfers]
    }

    /// Takes over what another loop of this process knew beyond the store.
    mutating func inherit(from old: ConditionMachine) { surroundings = old.surroundings }

    /// Whether a transfer, of which an exchange may be under way, may move bytes now. `budgetEnd` tells when there is something left again
    /// of a budget that is used up.
    package func verdict(
        of record: TransferRecord, isBegun: Bool = false, at now: WallTime, in zone: TimeZoneRules,
        budgetEnd: () -> WallTime?
    ) -> ConditionPolicy.Verdict {
        var asked = rules(for: record)
        if isBegun && reach != .nothing || reach == .everything && !record.spec.goesInSteps {
            asked = asked.map { CarrierPolicy.unheeded($0, isBegun: reach == .begun) }
        }
        let verdict = ConditionPolicy.decide(asked, surroundings.conditions, at: now, in: zone)
        guard verdict == .allowed, !record.facts.ignoresConditions, let date = budgetEnd() else { return verdict }
        return .waiting(.budget, until: date)
    }

    /// Those that count for a transfer.
    private func rules(for record: TransferRecord) -> [ConditionRules] {
        var asked = record.facts.ignoresConditions ? [] : [rules.conditions, record.spec.options.conditions]
        if record.facts.startsAtOnce { for index in asked.indices { asked[index].hours = nil } }
        return asked
    }

    /// Somebody carries exchanges, and heeds conditions for those that have begun or for all. Answers whether that is news.
    @discardableResult
    package mutating func leave(to reach: CarrierReach) -> Bool {
        defer { self.reach = reach }
        return self.reach != reach
    }

    /// Why and until when a transfer would wait if nobody else had it; `nil` when it would not.
    package func ownWait(
        of record: TransferRecord, at now: WallTime, in zone: TimeZoneRules
    ) -> (reason: Waiting.Reason, until: WallTime?)? {
        let verdict = ConditionPolicy.decide(rules(for: record), surroundings.conditions, at: now, in: zone)
        if case .waiting(let reason, let until) = verdict { return (reason, until) }
        return record.beginsBy(now) ? nil : (.notBefore, record.spec.options.earliestBeginDate)
    }

    /// What an exchange of the transfer is told beyond its own plan.
    package func equip(_ plan: inout ExchangePlan, for record: TransferRecord, at now: WallTime, in zone: TimeZoneRules)
    {
        plan.yields = yields(record)
        guard reach != .nothing else { return }
        let date = record.beginsBy(now) ? nil : record.spec.options.earliestBeginDate
        plan.terms = CarrierPolicy.terms(
            rules(for: record), notBefore: date, priority: record.turnPriority, at: now, in: zone)
    }

    /// Whether what a transfer moves counts against a budget, if there is one.
    package func isCounted(_ record: TransferRecord) -> Bool {
        surroundings.conditions.isExpensive == true && !record.facts.ignoresConditions
    }

    /// Whether a transfer makes room for the traffic of others. What goes on whatever the conditions are does not.
    package func yields(_ record: TransferRecord) -> Bool {
        let rules = [rules.conditions, record.spec.options.conditions]
        return !record.facts.ignoresConditions && rules.contains { $0.yieldsToOtherTraffic || $0.isDiscretionary }
    }

    /// The rate for all exchanges of the session together; `nil` without limit.
    package func rate(at now: WallTime, in zone: TimeZoneRules) -> Int64? {
        var least = surroundings.rateShare
        for traffic in [rules.traffic, surroundings.traffic] {
            if let rate = traffic.rate(at: now, in: zone) { least = min(rate, least ?? rate) }
        }
        return least
    }

    /// A date by the wall's clock can come while these run: the end of their hours, another rate.
    package mutating func planReview(of running: [ConditionRules], at now: WallTime, in zone: TimeZoneRules) {
        let ends = running.map { ConditionPolicy.closing([rules.conditions, $0], after: now, in: zone) }
        let changes = [rules.traffic, surroundings.traffic].map { $0.nextChange(after: now, in: zone) }
        reviewAt = (ends + changes).compactMap { $0 }.min()
    }

    /// One transfer more has begun: what the others and the limits say is planned already. Too early a date costs one look.
    package mutating func planReview(ofNew begun: ConditionRules, at now: WallTime, in zone: TimeZoneRules) {
        let end = ConditionPolicy.closing([rules.conditions, begun], after: now, in: zone)
        if let end { reviewAt = min(end, reviewAt ?? end) }
    }

    /// What background tasks may require.
    var forTasks: TaskConditions {
        let conditions = surroundings.conditions
        return TaskConditions(hasNetwork: conditions.isReachable, hasExternalPower: conditions.hasExternalPower)
    }
}
