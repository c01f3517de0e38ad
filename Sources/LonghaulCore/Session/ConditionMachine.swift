/// When and how fast a session may transfer: its rules, the state of the machine, and the next time at which the clock
/// alone changes the decision.
package struct ConditionMachine: Equatable, Sendable {
    package private(set) var rules: SessionRules
    package private(set) var surroundings: Surroundings
    /// When the conditions must be evaluated again because of the clock.
    package private(set) var reviewAt: WallTime?
    /// The exchanges whose conditions the system enforces instead of Longhaul.
    package private(set) var reach = CarrierReach.nothing

    package init(_ rules: SessionRules = SessionRules(), _ surroundings: Surroundings = Surroundings()) {
        self.rules = SessionRules(conditions: rules.conditions, traffic: rules.traffic)
        self.surroundings = surroundings
    }

    mutating func set(_ new: SessionRules) -> [SessionEffect] {
        if let refusal = new.refusal { return [.refuse(refusal)] }
        // The limits belong to the queue, and are set separately.
        rules = SessionRules(conditions: new.conditions, traffic: new.traffic)
        return [.write(.rules(rules)), .reviewTransfers]
    }

    mutating func update(_ new: Surroundings) -> [SessionEffect] {
        let old = surroundings
        surroundings = new
        // A changed rate share alone changes no transfer's state.
        return old.conditions == new.conditions && old.traffic == new.traffic ? [] : [.reviewTransfers]
    }

    /// Copies the in-memory state of this process's previous loop, which is not in the store.
    mutating func inherit(from old: ConditionMachine) { surroundings = old.surroundings }

    /// Returns whether a transfer may move bytes now; `isBegun` if it has a running exchange. `budgetEnd` returns when
    /// an exhausted budget has bytes again.
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

    /// Returns the rules that apply to a transfer.
    private func rules(for record: TransferRecord) -> [ConditionRules] {
        var asked = record.facts.ignoresConditions ? [] : [rules.conditions, record.spec.options.conditions]
        if record.facts.startsAtOnce { for index in asked.indices { asked[index].hours = nil } }
        return asked
    }

    /// Leaves the conditions of running exchanges, or of all exchanges, to the system. Returns whether this is a
    /// change.
    @discardableResult
    package mutating func delegate(to reach: CarrierReach) -> Bool {
        defer { self.reach = reach }
        return self.reach != reach
    }

    /// Returns why and until when a transfer would wait if the system did not run it; `nil` if it would not wait.
    package func ownWait(
        of record: TransferRecord, at now: WallTime, in zone: TimeZoneRules
    ) -> (reason: Waiting.Reason, until: WallTime?)? {
        let verdict = ConditionPolicy.decide(rules(for: record), surroundings.conditions, at: now, in: zone)
        if case .waiting(let reason, let until) = verdict { return (reason, until) }
        return record.beginsBy(now) ? nil : (.notBefore, record.spec.options.earliestBeginDate)
    }

    /// Adds the conditions and priority of the transfer to an exchange's plan.
    package func equip(_ plan: inout ExchangePlan, for record: TransferRecord, at now: WallTime, in zone: TimeZoneRules)
    {
        plan.yields = yields(record)
        guard reach != .nothing else { return }
        let date = record.beginsBy(now) ? nil : record.spec.options.earliestBeginDate
        plan.terms = CarrierPolicy.terms(
            rules(for: record), notBefore: date, priority: record.turnPriority, at: now, in: zone)
    }

    /// Whether a transfer's bytes count against a budget, if one is set.
    package func isCounted(_ record: TransferRecord) -> Bool {
        surroundings.conditions.isExpensive == true && !record.facts.ignoresConditions
    }

    /// Whether a transfer yields to other traffic. A transfer that ignores conditions never does.
    package func yields(_ record: TransferRecord) -> Bool {
        let rules = [rules.conditions, record.spec.options.conditions]
        return !record.facts.ignoresConditions && rules.contains { $0.yieldsToOtherTraffic || $0.isDiscretionary }
    }

    /// Returns the rate limit for all exchanges of the session together; `nil` if there is none.
    package func rate(at now: WallTime, in zone: TimeZoneRules) -> Int64? {
        var least = surroundings.rateShare
        for traffic in [rules.traffic, surroundings.traffic] {
            if let rate = traffic.rate(at: now, in: zone) { least = min(rate, least ?? rate) }
        }
        return least
    }

    /// Plans the next evaluation: the earliest time at which an allowed time window of a running transfer ends or a
    /// rate changes.
    package mutating func planReview(of running: [ConditionRules], at now: WallTime, in zone: TimeZoneRules) {
        let ends = running.map { ConditionPolicy.closing([rules.conditions, $0], after: now, in: zone) }
        let changes = [rules.traffic, surroundings.traffic].map { $0.nextChange(after: now, in: zone) }
        reviewAt = (ends + changes).compactMap { $0 }.min()
    }

    /// Adds a transfer that started to the plan. Its limits are planned already; a date that is too early costs one
    /// extra evaluation.
    package mutating func planReview(ofNew begun: ConditionRules, at now: WallTime, in zone: TimeZoneRules) {
        let end = ConditionPolicy.closing([rules.conditions, begun], after: now, in: zone)
        if let end { reviewAt = min(end, reviewAt ?? end) }
    }

    /// The conditions that background tasks may require.
    var forTasks: TaskConditions {
        let conditions = surroundings.conditions
        return TaskConditions(hasNetwork: conditions.isReachable, hasExternalPower: conditions.hasExternalPower)
    }
}
