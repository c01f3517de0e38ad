import LonghaulCore

/// Budgets: bytes are taken before an exchange may move them.
extension SessionLoop {
    /// One portion. A process that dies loses what it has taken and not moved.
    private static let portion: Int64 = 4 << 20

    /// Prepares an exchange to move bytes, when it is begun.
    func beginFlow(_ ticket: Ticket, of id: TransferID, _ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work, let record = turns.live[id]?.record else { return work }
        if isBudgeted(record) { plan.allowance = take(Self.portion) }
        traffic.begin(ticket, of: id, limit: record.rateLimit, taken: plan.allowance, at: environment.now())
        shareRates(startsWith: ticket)
        plan.rateLimit = traffic.flows[ticket]?.rate
        session.conditions.equip(&plan, for: record, at: now, in: environment.zone)
        planReview(of: record)
        return .exchange(plan)
    }

    /// An exchange has ended; `moved` is `nil` when nobody knows how much it moved: then all that was taken counts.
    func endFlow(_ ticket: Ticket, moved: Int64?) {
        guard let flow = traffic.end(ticket), let taken = flow.taken, let moved else { return }
        settle(moved - taken)
    }

    /// An exchange has moved all it may: it gets another portion after the commit, or stops.
    func extendAllowance(_ ticket: Ticket, of id: TransferID) throws(TransferFailure) {
        guard traffic.flows[ticket]?.taken != nil, let record = turns.live[id]?.record else { return }
        if isBudgeted(record), record.state != .awaitingResponse, budgetEnd(at: now) != nil {
            return try withholdBudget(id)
        }
        answer { [weak self] in self?.takeMore(ticket, of: id) }
    }

    /// Nothing is left of a budget, or it cannot be written down what is taken.
    func withholdBudget(_ id: TransferID) throws(TransferFailure) {
        try feed(id, .withheld(.budget, until: budgetEnd(at: now) ?? now + .seconds(60)))
    }

    private func takeMore(_ ticket: Ticket, of id: TransferID) {
        guard let taken = traffic.flows[ticket]?.taken, let record = turns.live[id]?.record else { return }
        let more = isBudgeted(record) ? take(Self.portion) : 0
        if more > 0 {
            setAllowance(taken + more, of: ticket)
        } else if isBudgeted(record), record.state != .awaitingResponse {
            // Another process was quicker.
            backlog.append(.budgetUsed(id))
        } else {
            // Either no budget holds, or the last bytes of a body are leaving: the machine does not stop those, and what
            // they move beyond the budget is counted when the exchange ends.
            engine?.setAllowance(nil, of: ticket)
        }
    }

    /// The conditions have changed: after the commit exchanges come under the budget, or leave it, and make room for others, or no
    /// longer do.
    func reviewAllowances() {
        if !traffic.flows.isEmpty { answer { [weak self] in self?.renewAllowances() } }
    }

    private func renewAllowances() {
        for ticket in traffic.tickets {
            guard let flow = traffic.flows[ticket], let record = turns.live[flow.id]?.record else { continue }
            engine?.setYields(session.conditions.yields(record), of: ticket)
            let moved = moved(by: ticket) ?? flow.seen
            switch (isBudgeted(record), flow.taken) {
            case (true, nil):
                // What it moved before counts for nothing: the network was another one.
                setAllowance(moved + take(Self.portion), of: ticket)
            case (false, let taken?):
                settle(moved - taken)
                setAllowance(nil, of: ticket)
            case (true, .some), (false, nil): break
            }
        }
    }

    private func setAllowance(_ bytes: Int64?, of ticket: Ticket) {
        traffic.setTaken(bytes, of: ticket)
        engine?.setAllowance(bytes, of: ticket)
    }

    private func moved(by ticket: Ticket) -> Int64? {
        engine?.progress(of: ticket).map { $0.sent + $0.received }
    }

    /// When there is something left again; `nil` when there is something now, or no budget is in force.
    func budgetEnd(at now: WallTime) -> WallTime? {
        guard session.conditions.surroundings.conditions.isExpensive == .yes else { return nil }
        let ends = budgets.compactMap { budget, ledger -> WallTime? in
            guard !budget.isUnlimited else { return nil }
            let usage = ledger.usage(at: now, in: environment.zone)
            guard (usage.remaining(of: budget) ?? 0) + returning <= 0 else { return nil }
            return usage.release(of: budget, in: environment.zone)
        }
        return ends.max()
    }

    /// What exchanges that have ended in this turn give back after its commit.
    private var returning: Int64 {
        batch.endedJobs.reduce(0) { sum, job in
            guard let taken = traffic.flows[job.ticket]?.taken, let moved = job.moved else { return sum }
            return sum + max(0, taken - moved)
        }
    }

    private func isBudgeted(_ record: TransferRecord) -> Bool {
        session.conditions.isCounted(record) && budgets.contains { !$0.0.isUnlimited }
    }

    /// The session's own budget and the one for all sessions.
    private var budgets: [(DataBudget, BudgetLedger)] {
        let (rules, surroundings) = (session.conditions.rules, session.conditions.surroundings)
        return [(rules.traffic.budget, ledger)]
            + (environment.userLedger.map { [(surroundings.traffic.budget, $0)] } ?? [])
    }

    /// Takes from all budgets what the smallest of them has.
    private func take(_ wanted: Int64) -> Int64 {
        var granted = wanted
        var earlier: [(BudgetLedger, Int64)] = []
        for (budget, ledger) in budgets where !budget.isUnlimited {
            granted = ledger.take(granted, of: budget, at: now, in: environment.zone)
            earlier.append((ledger, granted))
        }
        for (ledger, taken) in earlier { ledger.count(granted - taken, at: now, in: environment.zone) }
        return granted
    }

    /// Counts what was moved beyond what had been taken, or gives back what was not moved.
    private func settle(_ difference: Int64) {
        for (budget, ledger) in budgets where !budget.isUnlimited {
            ledger.count(difference, at: now, in: environment.zone)
        }
    }
}

/// Rates: the limits are divided among the exchanges that run.
extension SessionLoop {
    /// A person has set another limit for a transfer.
    func noteOtherLimit(of id: TransferID) {
        guard let transfer = turns.live[id], let ticket = transfer.ticket else { return }
        traffic.setLimit(transfer.record.rateLimit, of: ticket)
    }

    /// After each turn: when something about the exchanges or the limits has changed, or it is time to look again.
    func balanceRates() {
        guard !isDead, engine != nil else { return }
        if let date = traffic.measuredAt, date <= now { measureFlows() }
        shareRates(startsWith: nil)
        let isShared =
            session.conditions.surroundings.rateShare != nil || (sessionRate != nil && traffic.flows.count > 1)
        let demand = traffic.plan(isShared: isShared, at: now)
        if let session = directory.layout.session { environment.reportDemand?(session, demand) }
    }

    private var sessionRate: Int64? { session.conditions.rate(at: now, in: environment.zone) }

    private func shareRates(startsWith new: Ticket?) {
        for change in traffic.share(sessionRate) {
            if change.isMore {
                traffic.measureAnew(change.ticket, moved: moved(by: change.ticket), at: environment.now())
            }
            if change.ticket != new { engine?.setRateLimit(change.rate, of: change.ticket) }
        }
    }

    private func measureFlows() {
        // Measured at the moment of the look, which may be long after the turn's begin.
        let now = environment.now()
        for ticket in traffic.tickets {
            if let moved = moved(by: ticket) { traffic.measure(ticket, moved: moved, at: now) }
        }
    }
}
