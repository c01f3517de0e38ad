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

/// The exchanges that move bytes: how fast each may, and what was taken from the budgets for it.
///
/// It follows what was committed, since an exchange is begun and ended there only; so nothing of it is undone with a turn.
package struct TrafficMachine: Equatable, Sendable {
    /// How often rates are measured where exchanges share one.
    private static let tick = Duration.seconds(1)

    /// What is known of one exchange.
    package struct Flow: Equatable, Sendable {
        package let id: TransferID
        /// Its own limit.
        package fileprivate(set) var limit: Int64?
        /// What was taken from the budgets for it; `nil` when it is not under a budget.
        package var taken: Int64?
        /// Its rate now; `nil` without limit.
        package fileprivate(set) var rate: Int64?
        /// What it had moved, and when that was seen.
        package fileprivate(set) var seen: Int64 = 0
        fileprivate var seenAt: WallTime
        /// Bytes a second between the last two looks.
        fileprivate var used: Int64?
        /// How many connections it would use, and how many it may.
        package fileprivate(set) var wanted = 1
        package fileprivate(set) var connections = 1
    }

    /// An exchange that gets another rate.
    package struct Change: Equatable, Sendable {
        package var ticket: Ticket
        package var rate: Int64?
        /// Whether it gets more than it had: what it used of less says nothing of what it can use now.
        package var isMore: Bool
    }

    package private(set) var flows: [Ticket: Flow] = [:]
    /// The exchanges that have a rate, or may get one of their own.
    private var slowed: Set<Ticket> = []
    /// The exchanges that use several connections, or would.
    private var spread: Set<Ticket> = []
    /// When rates are measured next.
    package private(set) var measuredAt: WallTime?

    package init() {}

    package var tickets: [Ticket] { flows.keys.sorted { $0.number < $1.number } }

    package mutating func begin(_ ticket: Ticket, of id: TransferID, limit: Int64?, taken: Int64?, at now: WallTime) {
        flows[ticket] = Flow(id: id, limit: limit, taken: taken, seenAt: now)
        if limit != nil { slowed.insert(ticket) }
    }

    package mutating func end(_ ticket: Ticket) -> Flow? {
        slowed.remove(ticket)
        spread.remove(ticket)
        return flows.removeValue(forKey: ticket)
    }

    package mutating func setTaken(_ taken: Int64?, of ticket: Ticket) { flows[ticket]?.taken = taken }

    /// An exchange would use so many connections in all.
    package mutating func setWanted(_ count: Int, of ticket: Ticket) {
        guard flows[ticket] != nil else { return }
        flows[ticket]?.wanted = max(count, 1)
        spread.insert(ticket)
    }

    /// Whether anybody would use more than one.
    package var isSpread: Bool { !spread.isEmpty }

    /// Divides what hosts still take among the exchanges that would use more connections than one, and answers those that get
    /// another number.
    ///
    /// - Parameter room: How many connections the host of a transfer takes for that transfer's sake, and how many transfers run with it.
    package mutating func shareConnections(
        _ room: (TransferID) -> (host: String, limit: Int, running: Int)?
    ) -> [(ticket: Ticket, connections: Int)] {
        let tickets = spread.sorted { $0.number < $1.number }
        var given: [Ticket: Int] = [:]
        var taken: [String: Int] = [:]
        var isChanging = true
        // One each in turn, so that nobody gets all.
        while isChanging {
            isChanging = false
            for ticket in tickets {
                guard let flow = flows[ticket], let room = room(flow.id), given[ticket, default: 1] < flow.wanted,
                    room.running + taken[room.host, default: 0] < room.limit
                else { continue }
                given[ticket, default: 1] += 1
                taken[room.host, default: 0] += 1
                isChanging = true
            }
        }
        var changed: [(Ticket, Int)] = []
        for ticket in tickets {
            let count = given[ticket, default: 1]
            if flows[ticket]?.connections != count { changed.append((ticket, count)) }
            flows[ticket]?.connections = count
            if count == 1, flows[ticket]?.wanted == 1 { spread.remove(ticket) }
        }
        return changed
    }

    /// A person has set another limit for a transfer.
    package mutating func setLimit(_ limit: Int64?, of ticket: Ticket) {
        guard flows[ticket] != nil else { return }
        flows[ticket]?.limit = limit
        slowed.insert(ticket)
    }

    /// Divides the session's rate among them. Answers those that get another one.
    package mutating func share(_ rate: Int64?) -> [Change] {
        guard rate != nil || !slowed.isEmpty else { return [] }
        let tickets = tickets
        let claims = tickets.map { ticket in
            FairShare.Claim(limit: flows[ticket]?.limit, used: flows[ticket]?.used, had: flows[ticket]?.rate)
        }
        var changes: [Change] = []
        for (ticket, rate) in zip(tickets, FairShare.divide(rate, among: claims)) {
            let old = flows[ticket]?.rate
            guard Self.isWorthTelling(old, rate) else { continue }
            flows[ticket]?.rate = rate
            if rate == nil { slowed.remove(ticket) } else { slowed.insert(ticket) }
            changes.append(Change(ticket: ticket, rate: rate, isMore: Self.isMore(rate, than: old)))
        }
        return changes
    }

    /// Begins to measure anew what an exchange uses, which has moved so much.
    package mutating func measureAnew(_ ticket: Ticket, moved: Int64?, at now: WallTime) {
        flows[ticket]?.used = nil
        flows[ticket]?.seenAt = now
        if let moved { flows[ticket]?.seen = moved }
    }

    /// Takes in how much an exchange has moved until now.
    package mutating func measure(_ ticket: Ticket, moved: Int64, at now: WallTime) {
        guard let flow = flows[ticket] else { return }
        let span = (now - flow.seenAt).microseconds
        guard span >= Self.tick.microseconds / 2 else { return }
        flows[ticket]?.used = Int64(Double(max(0, moved - flow.seen)) * 1_000_000 / Double(span))
        flows[ticket]?.seen = moved
        flows[ticket]?.seenAt = now
    }

    /// Plans the next look, where one rate is shared. Answers what the session could use of it.
    package mutating func plan(isShared: Bool, at now: WallTime) -> RateDemand {
        let isTicking = isShared && !flows.isEmpty
        if !isTicking {
            measuredAt = nil
        } else if measuredAt.map({ $0 <= now }) ?? true {
            measuredAt = now + Self.tick
        }
        let known = isTicking ? flows.values.compactMap(\.used) : []
        return RateDemand(flows: flows.count, used: known.isEmpty ? nil : known.reduce(0, +))
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
}
