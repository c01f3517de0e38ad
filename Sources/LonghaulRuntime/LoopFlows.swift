import LonghaulCore

/// Where exchanges that move bytes come and go.
extension SessionLoop {
    private var scene: Flows.Scene { Flows.Scene(conditions: session.conditions, counters: counters, now: now) }

    /// Prepares an exchange to move bytes, when it is begun.
    func beginFlow(_ ticket: Ticket, of id: TransferID, _ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work, let record = turns.live[id]?.record else { return work }
        flows.begin(ticket, &plan, of: record, scene)
        session.conditions.equip(&plan, for: record, at: now, in: environment.zone)
        planReview(of: record)
        return .exchange(plan)
    }

    func endFlow(_ ticket: Ticket, moved: Int64?) { flows.end(ticket, moved: moved, scene) }

    /// What was taken for exchanges that did not say how they ended, since this engine has.
    func endFlows(of lastEngine: (any Engine)?) {
        let counters = Counters(engine: lastEngine, clock: environment.now)
        flows.endAll(Flows.Scene(conditions: session.conditions, counters: counters, now: now))
    }

    /// An exchange has moved all it may: it gets another portion after the commit, or stops.
    func extendAllowance(_ ticket: Ticket, of id: TransferID) throws(TransferFailure) {
        guard flows.isBudgeted(ticket), let record = turns.live[id]?.record else { return }
        if flows.needsPortions(record, scene), budgetEnd != nil { return try withholdBudget(id) }
        answer { [weak self] in
            guard let self, let record = turns.live[id]?.record else { return }
            if !flows.extend(ticket, of: record, scene) { backlog.append(.budgetUsed(id)) }
        }
    }

    /// Nothing is left of a budget, or it cannot be written down what is taken.
    func withholdBudget(_ id: TransferID) throws(TransferFailure) {
        try feed(id, .withheld(.budget, until: budgetEnd ?? now + .seconds(60)))
    }

    /// When there is something left of the budgets again; `nil` when there is something now, or no budget is in force.
    var budgetEnd: WallTime? {
        flows.budgets.end(session.conditions, returning: flows.returning(batch.endedJobs), at: now)
    }

    /// The conditions have changed: exchanges follow after the commit.
    func reviewAllowances() {
        guard !flows.traffic.flows.isEmpty else { return }
        answer { [weak self] in
            guard let self else { return }
            flows.renewAllowances(scene) { turns.live[$0]?.record }
        }
    }

    /// A person has set another limit for a transfer.
    func noteOtherLimit(of id: TransferID) {
        guard let transfer = turns.live[id], let ticket = transfer.ticket else { return }
        flows.traffic.setLimit(transfer.record.rateLimit, of: ticket)
    }

    /// After each turn: rates and connections are divided among what runs now.
    func balanceFlows() {
        guard !isDead, let engine else { return }
        let demand = flows.balance(scene)
        if let session = directory.layout.session { environment.reportDemand?(session, demand) }
        flows.shareConnections(engine) { turns.connections(for: $0) }
    }
}
