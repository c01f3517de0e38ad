import LonghaulCore

/// What the loop knows of one exchange that moves bytes.
struct Flow {
    var id: TransferID
    /// What was taken from the budgets for it; `nil` when it is not under a budget.
    var taken: Int64?
    /// Its rate now; `nil` without limit.
    var rate: Int64?
    /// What it had moved, and when that was seen.
    var seen: Int64 = 0
    var seenAt: WallTime
    /// Bytes a second between the last two looks.
    var used: Int64?
}

/// How much of a common rate a session could use.
package struct RateDemand: Equatable, Sendable {
    /// Its exchanges.
    package var flows: Int
    /// Bytes a second that they move; `nil` before the first look.
    package var used: Int64?

    package init(flows: Int, used: Int64? = nil) {
        self.flows = flows
        self.used = used
    }
}

/// Budgets: bytes are taken before an exchange may move them.
extension SessionLoop {
    /// One portion. A process that dies loses what it has taken and not moved.
    private static let portion: Int64 = 4 << 20

    /// Prepares an exchange to move bytes, after the commit.
    func beginFlow(_ ticket: Ticket, of id: TransferID, _ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work, let record = live[id]?.record else { return work }
        var flow = Flow(id: id, seenAt: environment.now())
        if isBudgeted(record) {
            flow.taken = take(Self.portion)
            plan.allowance = flow.taken
        }
        flows[ticket] = flow
        if record.rateLimit != nil { slowed.insert(ticket) }
        shareRates(startsWith: ticket)
        plan.rateLimit = flows[ticket]?.rate
        planReview(of: record)
        return .exchange(plan)
    }

    /// An exchange has ended; `moved` is `nil` when nobody knows how much it moved: then all that was taken counts.
    func endFlow(_ ticket: Ticket, moved: Int64?) {
        guard let flow = flows.removeValue(forKey: ticket) else { return }
        slowed.remove(ticket)
        guard let taken = flow.taken, let moved else { return }
        settle(moved - taken)
    }

    /// An exchange has moved all it may: it gets another portion, or stops.
    func extendAllowance(_ ticket: Ticket, of id: TransferID) throws(TransferFailure) {
        guard let taken = flows[ticket]?.taken, let record = live[id]?.record else { return }
        let more = isBudgeted(record) ? take(Self.portion) : 0
        if more > 0 {
            flows[ticket]?.taken = taken + more
            engine?.setAllowance(taken + more, of: ticket)
        } else if isBudgeted(record), record.state != .awaitingResponse {
            let date = budgetEnd(at: now) ?? now + .seconds(60)
            try feed(id, .withheld(.budget, until: date))
        } else {
            // Either no budget holds, or the last bytes of a body are leaving: the machine does not stop those, and what
            // they move beyond the budget is counted when the exchange ends.
            engine?.setAllowance(nil, of: ticket)
        }
    }

    /// After a change of the conditions: exchanges come under the budget, or leave it.
    func renewAllowances() {
        for (ticket, flow) in flows {
            guard let record = live[flow.id]?.record else { continue }
            let progress = engine?.progress(of: ticket)
            let moved = progress.map { $0.sent + $0.received } ?? flow.seen
            switch (isBudgeted(record), flow.taken) {
            case (true, nil):
                // What it moved before counts for nothing: the network was another one.
                let taken = moved + take(Self.portion)
                flows[ticket]?.taken = taken
                engine?.setAllowance(taken, of: ticket)
            case (false, let taken?):
                settle(moved - taken)
                flows[ticket]?.taken = nil
                engine?.setAllowance(nil, of: ticket)
            case (true, .some), (false, nil): break
            }
        }
    }

    /// When there is something left again; `nil` when there is something now, or no budget is in force.
    func budgetEnd(at now: WallTime) -> WallTime? {
        guard session.conditions.surroundings.conditions.isExpensive == .yes else { return nil }
        let ends = budgets.compactMap { budget, ledger -> WallTime? in
            guard !budget.isUnlimited else { return nil }
            let usage = ledger.usage(at: now, in: environment.zone)
            guard usage.remaining(of: budget) == 0 else { return nil }
            return usage.release(of: budget, in: environment.zone)
        }
        return ends.max()
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
    private static let tick = Duration.seconds(1)

    /// After each turn: when something about the exchanges or the limits has changed, or it is time to look again.
    func balanceRates() {
        guard !isDead, engine != nil else { return }
        if let date = rateTickAt, date <= now { measureFlows() }
        shareRates(startsWith: nil)
        let isShared = session.conditions.surroundings.rateShare != nil || (sessionRate != nil && flows.count > 1)
        let isTicking = isShared && !flows.isEmpty
        if !isTicking { rateTickAt = nil }
        if isTicking, rateTickAt.map({ $0 <= now }) ?? true {
            rateTickAt = now + Self.tick
        }
        if let session = directory.layout.session {
            let known = isTicking ? flows.values.compactMap(\.used) : []
            environment.reportDemand?(
                session, RateDemand(flows: flows.count, used: known.isEmpty ? nil : known.reduce(0, +)))
        }
    }

    private var sessionRate: Int64? { session.conditions.rate(at: now, in: environment.zone) }

    private func shareRates(startsWith new: Ticket?) {
        guard sessionRate != nil || !slowed.isEmpty else { return }
        let tickets = flows.keys.sorted { $0.number < $1.number }
        let claims = tickets.map { ticket -> FairShare.Claim in
            let flow = flows[ticket]
            let limit = flow.flatMap { live[$0.id]?.record.rateLimit }
            return FairShare.Claim(limit: limit, used: flow?.used, had: flow?.rate)
        }
        for (ticket, rate) in zip(tickets, FairShare.divide(sessionRate, among: claims)) {
            guard let flow = flows[ticket], Self.isWorthTelling(flow.rate, rate) else { continue }
            flows[ticket]?.rate = rate
            if Self.isMore(rate, than: flow.rate) { measureAnew(ticket) }
            if rate == nil { slowed.remove(ticket) } else { slowed.insert(ticket) }
            if ticket != new { engine?.setRateLimit(rate, of: ticket) }
        }
    }

    /// Small changes are the measurement's noise.
    private static func isWorthTelling(_ old: Int64?, _ new: Int64?) -> Bool {
        guard let old, let new else { return old != new }
        return (old - new).magnitude > (old / 16).magnitude
    }

    private static func isMore(_ new: Int64?, than old: Int64?) -> Bool {
        guard let old else { return false }
        return new.map { $0 > old } ?? true
    }

    /// What was used of less says nothing of what can be used of more.
    private func measureAnew(_ ticket: Ticket) {
        flows[ticket]?.used = nil
        flows[ticket]?.seenAt = environment.now()
        if let progress = engine?.progress(of: ticket) { flows[ticket]?.seen = progress.sent + progress.received }
    }

    private func measureFlows() {
        let now = environment.now()
        for (ticket, flow) in flows {
            guard let progress = engine?.progress(of: ticket) else { continue }
            let moved = progress.sent + progress.received
            let span = (now - flow.seenAt).microseconds
            guard span >= Self.tick.microseconds / 2 else { continue }
            flows[ticket]?.used = Int64(Double(max(0, moved - flow.seen)) * 1_000_000 / Double(span))
            flows[ticket]?.seen = moved
            flows[ticket]?.seenAt = now
        }
    }
}
