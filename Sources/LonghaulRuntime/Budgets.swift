import LonghaulCore

/// The data budgets that a session's bytes are taken from before they are moved.
struct Budgets {
    /// The session's own.
    let own: BudgetLedger
    /// The one for all sessions of the user; `nil` where there is none.
    let common: BudgetLedger?
    let zone: TimeZoneRules

    /// Whether what a transfer moves has to be taken from one of them.
    func count(_ record: TransferRecord, _ conditions: ConditionMachine) -> Bool {
        conditions.isCounted(record) && !limited(conditions).isEmpty
    }

    /// When there is something left again; `nil` when there is something now, or no budget is in force. So much is about to be given
    /// back.
    func end(_ conditions: ConditionMachine, returning: @autoclosure () -> Int64, at now: WallTime) -> WallTime? {
        guard conditions.surroundings.conditions.isExpensive == true else { return nil }
        let ends = limited(conditions).compactMap { budget, ledger -> WallTime? in
            let usage = ledger.usage(at: now, in: zone)
            guard (usage.remaining(of: budget) ?? 0) + returning() <= 0 else { return nil }
            return usage.release(of: budget, in: zone)
        }
        return ends.max()
    }

    /// Takes from all of them what the smallest has.
    func take(_ wanted: Int64, _ conditions: ConditionMachine, at now: WallTime) -> Int64 {
        var granted = wanted
        var earlier: [(BudgetLedger, Int64)] = []
        for (budget, ledger) in limited(conditions) {
            granted = ledger.take(granted, of: budget, at: now, in: zone)
            earlier.append((ledger, granted))
        }
        for (ledger, taken) in earlier { ledger.count(granted - taken, at: now, in: zone) }
        return granted
    }

    /// Counts what was moved beyond what had been taken, or gives back what was not moved.
    func settle(_ difference: Int64, _ conditions: ConditionMachine, at now: WallTime) {
        for (_, ledger) in limited(conditions) { ledger.count(difference, at: now, in: zone) }
    }

    private func limited(_ conditions: ConditionMachine) -> [(DataBudget, BudgetLedger)] {
        var all = [(conditions.rules.traffic.budget, own)]
        if let common { all.append((conditions.surroundings.traffic.budget, common)) }
        return all.filter { !$0.0.isUnlimited }
    }
}
