import LonghaulCore

/// Starts and ends exchanges that transfer bytes.
struct FlowControl {
    let state: SessionState

    fileprivate var scene: Flows.Scene {
        Flows.Scene(conditions: state.session.conditions, counters: state.counters, now: state.now)
    }

    /// Prepares a new exchange for its transfer of bytes.
    func begin(_ ticket: Ticket, of id: TransferID, _ work: EngineWork) -> EngineWork {
        guard case .exchange(var plan) = work, let record = state.turns.live[id]?.record else { return work }
        state.flows.begin(ticket, &plan, of: record, scene)
        state.session.conditions.equip(&plan, for: record, at: state.now, in: state.environment.zone)
        state.planReview(of: record)
        return .exchange(plan)
    }

    func end(_ ticket: Ticket, moved: Int64?) { state.flows.end(ticket, moved: moved, scene) }

    /// Settles the budgets of exchanges that reported no end, because the engine has ended.
    func endAll(of lastEngine: (any ExchangeEngine)?) {
        let counters = Counters(engine: lastEngine, clock: state.environment.now)
        state.flows.endAll(Flows.Scene(conditions: state.session.conditions, counters: counters, now: state.now))
    }

    /// An exchange has used its allowance: it gets another portion after the commit, or stops.
    func extendAllowance(_ ticket: Ticket, of id: TransferID) throws(TransferFailure) {
        guard state.flows.isBudgeted(ticket), let record = state.turns.live[id]?.record else { return }
        if state.flows.needsPortions(record, scene), state.budgetEnd != nil { return try withhold(id) }
        state.answer { [weak state] in
            guard let state, let record = state.turns.live[id]?.record else { return }
            let scene = FlowControl(state: state).scene
            if !state.flows.extend(ticket, of: record, scene) { state.backlog.append(.budgetUsed(id)) }
        }
    }

    /// A budget is used up, or its file cannot be written.
    func withhold(_ id: TransferID) throws(TransferFailure) {
        try state.feed(id, .withheld(.budget, until: state.budgetEnd ?? state.now + .seconds(60)))
    }

    /// Applies the user's new limit for a transfer.
    func recordOtherLimit(of id: TransferID) {
        guard let transfer = state.turns.live[id], let ticket = transfer.ticket else { return }
        state.flows.traffic.setLimit(transfer.record.rateLimit, of: ticket)
    }

    /// Divides rates and connections among the running transfers, after each turn.
    func balance(_ engine: any ExchangeEngine) {
        let demand = state.flows.balance(scene)
        if let session = state.directory.layout.session { state.environment.reportDemand?(session, demand) }
        state.flows.shareConnections(engine) { state.turns.connections(for: $0) }
    }
}

extension SessionState {
    /// Adapts the exchanges to changed conditions, after the commit.
    func reviewAllowances() {
        guard !flows.traffic.flows.isEmpty else { return }
        answer { [weak self] in
            guard let self else { return }
            flows.renewAllowances(FlowControl(state: self).scene) { self.turns.live[$0]?.record }
        }
    }

    var counters: Counters { Counters(engine: engine?.exchanges, clock: environment.now) }

    /// When the budgets have bytes again; `nil` if they have some now, or if no budget applies.
    var budgetEnd: WallTime? {
        flows.budgets.end(session.conditions, returning: flows.returning(batch.endedJobs), at: now)
    }
}
