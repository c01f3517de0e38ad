import LonghaulCore

/// The data budgets from which a session takes bytes before it transfers them.
struct Budgets {
    /// The session's own budget.
    let own: BudgetLedger
    /// The common budget of the user's sessions; `nil` if there is none.
    let common: BudgetLedger?
    let zone: TimeZoneRules

    /// Whether a transfer's bytes count against one of them.
    func count(_ record: TransferRecord, _ conditions: ConditionMachine) -> Bool {
        conditions.isCounted(record) && !limited(conditions).isEmpty
    }

    /// Returns when the budgets have bytes again; `nil` if they have some now, or if no budget applies. `returning` is the number
    /// of bytes about to be returned.
    func end(_ conditions: ConditionMachine, returning: @autoclosure () -> Int64, at now: WallTime) -> WallTime? {
        guard conditions.surroundings.conditions.isExpensive == true else { return nil }
        let ends = limited(conditions).compactMap { budget, ledger -> WallTime? in
            let usage = ledger.usage(of: budget, at: now, in: zone)
            guard (usage.remaining(of: budget) ?? 0) + returning() <= 0 else { return nil }
            return usage.release(of: budget, in: zone)
        }
        return ends.max()
    }

    /// Takes from all budgets as much as the smallest has left.
    func withdraw(_ wanted: Int64, _ conditions: ConditionMachine, at now: WallTime) -> Int64 {
        var granted = wanted
        var earlier: [(BudgetLedger, Int64)] = []
        for (budget, ledger) in limited(conditions) {
            granted = ledger.withdraw(granted, of: budget, at: now, in: zone)
            earlier.append((ledger, granted))
        }
        for (ledger, taken) in earlier { ledger.count(granted - taken, at: now, in: zone) }
        return granted
    }

    /// Counts bytes transferred beyond those taken, or returns unused ones.
    func correct(_ difference: Int64, _ conditions: ConditionMachine, at now: WallTime) {
        for (_, ledger) in limited(conditions) { ledger.count(difference, at: now, in: zone) }
    }

    private func limited(_ conditions: ConditionMachine) -> [(DataBudget, BudgetLedger)] {
        var all = [(conditions.rules.traffic.budget, own)]
        if let common { all.append((conditions.surroundings.traffic.budget, common)) }
        return all.filter { !$0.0.isUnlimited }
    }
}
