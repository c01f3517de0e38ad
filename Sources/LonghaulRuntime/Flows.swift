import LonghaulCore

/// The exchanges that transfer bytes: the bytes taken from the budgets for them, their rates, and their connections.
///
/// An undone turn changes nothing here, because exchanges begin and end after the commit.
struct Flows {
    /// The conditions and the time at a moment, and access to the exchanges.
    struct Scene {
        let conditions: ConditionMachine
        let counters: Counters
        let now: WallTime

        fileprivate var engine: (any ExchangeEngine)? { counters.engine }
    }

    /// One portion. If a process dies, the unused rest of a portion is lost.
    private static let portion: Int64 = 4 << 20

    let budgets: Budgets
    var traffic = TrafficMachine()

    init(_ budgets: Budgets) {
        self.budgets = budgets
    }

    /// Prepares a new exchange for its transfer of bytes.
    mutating func begin(_ ticket: Ticket, _ plan: inout ExchangePlan, of record: TransferRecord, _ scene: Scene) {
        if isBudgeted(record, scene) { plan.allowance = takePortion(scene) }
        let (limit, taken) = (record.rateLimit, plan.allowance)
        traffic.begin(ticket, of: record.id, limit: limit, taken: taken, at: scene.counters.clock())
        share(startingWith: ticket, scene)
        plan.rateLimit = traffic.flows[ticket]?.rate
    }

    /// Ends an exchange. If `moved` is `nil`, its bytes are unknown, and everything taken counts.
    mutating func end(_ ticket: Ticket, moved: Int64?, _ scene: Scene) {
        guard let taken = traffic.end(ticket)?.taken, let moved else { return }
        correctBudgets(moved - taken, scene)
    }

    /// The engine has ended without reporting the ends of its exchanges.
    mutating func endAll(_ scene: Scene) {
        for ticket in traffic.tickets { end(ticket, moved: scene.counters.moved(by: ticket), scene) }
    }

    /// Whether an exchange is under a budget.
    func isBudgeted(_ ticket: Ticket) -> Bool { traffic.flows[ticket]?.taken != nil }

    /// Whether an exchange of the transfer stalls without another portion. An exchange that is sending its last bytes is not
    /// stopped; its end counts the bytes beyond the budget.
    func needsPortions(_ record: TransferRecord, _ scene: Scene) -> Bool {
        isBudgeted(record, scene) && record.state != .awaitingResponse
    }

    /// Extends a used allowance; `false` if nothing is left, because another process was faster.
    mutating func extend(_ ticket: Ticket, of record: TransferRecord, _ scene: Scene) -> Bool {
        guard let taken = traffic.flows[ticket]?.taken else { return true }
        let more = isBudgeted(record, scene) ? takePortion(scene) : 0
        if more > 0 {
            setAllowance(taken + more, of: ticket, scene)
        } else if needsPortions(record, scene) {
            return false
        } else {
            scene.engine?.setAllowance(nil, of: ticket)
        }
        return true
    }

    /// Adapts exchanges to changed conditions: whether a budget applies, and whether they yield to other traffic.
    mutating func renewAllowances(_ scene: Scene, _ record: (TransferID) -> TransferRecord?) {
        for ticket in traffic.tickets {
            guard let flow = traffic.flows[ticket], let record = record(flow.id) else { continue }
            scene.engine?.setYields(scene.conditions.yields(record), of: ticket)
            let moved = scene.counters.moved(by: ticket) ?? flow.seen
            switch (isBudgeted(record, scene), flow.taken) {
            case (true, nil):
                // Earlier bytes do not count: they used another network.
                setAllowance(moved + takePortion(scene), of: ticket, scene)
            case (false, let taken?):
                correctBudgets(moved - taken, scene)
                setAllowance(nil, of: ticket, scene)
            case (true, .some), (false, nil): break
            }
        }
    }

    /// Returns the bytes that ended exchanges will return to the budgets after the commit.
    func returning(_ ended: [(ticket: Ticket, moved: Int64?)]) -> Int64 {
        ended.reduce(0) { sum, job in
            guard let taken = traffic.flows[job.ticket]?.taken, let moved = job.moved else { return sum }
            return sum + max(0, taken - moved)
        }
    }

    /// Divides the session's rate after each turn, because exchanges, limits, or measurements may have changed. Returns how much of
    /// a common rate the session could use.
    mutating func balance(_ scene: Scene) -> RateDemand {
        if let date = traffic.measuredAt, date <= scene.now { measure(scene.counters) }
        let rate = share(startingWith: nil, scene)
        let isShared = scene.conditions.surroundings.rateShare != nil || (rate != nil && traffic.flows.count > 1)
        return traffic.plan(isShared: isShared, at: scene.now)
    }

    /// Divides the connections that hosts still accept, while no other transfer takes them (`TrafficMachine.shareConnections`).
    mutating func shareConnections(
        _ engine: any ExchangeEngine, _ room: (TransferID) -> (host: String, limit: Int, running: Int)?
    ) {
        guard traffic.isSpread else { return }
        for change in traffic.shareConnections(room) { engine.setConnections(change.connections, of: change.ticket) }
    }

    /// Returns the rate that was divided.
    @discardableResult
    private mutating func share(startingWith new: Ticket?, _ scene: Scene) -> Int64? {
        let rate = scene.conditions.rate(at: scene.now, in: budgets.zone)
        for change in traffic.share(rate) {
            if change.isMore {
                let moved = scene.counters.moved(by: change.ticket)
                traffic.measureAnew(change.ticket, moved: moved, at: scene.counters.clock())
            }
            if change.ticket != new { scene.engine?.setRateLimit(change.rate, of: change.ticket) }
        }
        return rate
    }

    private mutating func measure(_ counters: Counters) {
        let now = counters.clock()
        for ticket in traffic.tickets {
            if let moved = counters.moved(by: ticket) { traffic.measure(ticket, moved: moved, at: now) }
        }
    }

    private mutating func setAllowance(_ bytes: Int64?, of ticket: Ticket, _ scene: Scene) {
        traffic.setTaken(bytes, of: ticket)
        scene.engine?.setAllowance(bytes, of: ticket)
    }

    private func isBudgeted(_ record: TransferRecord, _ scene: Scene) -> Bool {
        budgets.count(record, scene.conditions)
    }

    private func takePortion(_ scene: Scene) -> Int64 {
        budgets.withdraw(Self.portion, scene.conditions, at: scene.now)
    }

    private func correctBudgets(_ difference: Int64, _ scene: Scene) {
        budgets.correct(difference, scene.conditions, at: scene.now)
    }
}
