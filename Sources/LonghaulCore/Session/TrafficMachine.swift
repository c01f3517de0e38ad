/// A session's demand for a share of a common rate.
package struct RateDemand: Equatable, Sendable {
    /// The number of exchanges.
    package var flows: Int
    /// The rate used, in bytes per second; `nil` before the first measurement.
    package var used: Int64?

    package init(flows: Int, used: Int64? = nil) {
        self.flows = flows
        self.used = used
    }
}

/// The exchanges that transfer bytes: the rate of each, and the bytes reserved for it from the budgets.
///
/// Exchanges start and end only after a commit, so no state here is undone with a turn.
package struct TrafficMachine: Equatable, Sendable {
    /// The interval of measurements for exchanges that share a rate.
    private static let tick = Duration.seconds(1)

    /// The state of one exchange.
    package struct Flow: Equatable, Sendable {
        package let id: TransferID
        /// The transfer's own limit.
        package fileprivate(set) var limit: Int64?
        /// The bytes reserved from the budgets; `nil` if no budget applies.
        package var taken: Int64?
        /// The current rate limit; `nil` if there is none.
        package fileprivate(set) var rate: Int64?
        /// The bytes at the last measurement, and its time.
        package fileprivate(set) var seen: Int64 = 0
        fileprivate var seenAt: WallTime
        /// Bytes per second between the last two measurements.
        fileprivate var used: Int64?
        /// The number of connections it could use, and the number it may use.
        package fileprivate(set) var wanted = 1
        package fileprivate(set) var connections = 1
    }

    /// A change of an exchange's rate.
    package struct Change: Equatable, Sendable {
        package var ticket: Ticket
        package var rate: Int64?
        /// Whether the rate increases. The rate used under the old limit then says nothing about the new one.
        package var isMore: Bool
    }

    package private(set) var flows: [Ticket: Flow] = [:]
    /// The exchanges with a rate limit, or whose limit changed.
    private var slowed: Set<Ticket> = []
    /// The exchanges that use several connections, or could.
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

    /// Sets how many connections an exchange could use in total.
    package mutating func setWanted(_ count: Int, of ticket: Ticket) {
        guard flows[ticket] != nil else { return }
        flows[ticket]?.wanted = max(count, 1)
        spread.insert(ticket)
    }

    /// Whether any exchange could use more than one connection.
    package var isSpread: Bool { !spread.isEmpty }

    /// Divides the free connections of hosts among the exchanges that could use more than one, and returns those whose
    /// number changes.
    ///
    /// - Parameter room: Returns the host of a transfer, how many connections the host allows for this transfer, and
    ///   how many transfers run with the host.
    package mutating func shareConnections(
        _ room: (TransferID) -> (host: String, limit: Int, running: Int)?
    ) -> [(ticket: Ticket, connections: Int)] {
        let tickets = spread.sorted { $0.number < $1.number }
        var given: [Ticket: Int] = [:]
        var taken: [String: Int] = [:]
        var isChanging = true
        // One each in turn, so that no exchange gets all.
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

    /// Sets the limit that the user changed.
    package mutating func setLimit(_ limit: Int64?, of ticket: Ticket) {
        guard flows[ticket] != nil else { return }
        flows[ticket]?.limit = limit
        slowed.insert(ticket)
    }

    /// Divides the session's rate among the exchanges. Returns those whose rate changes.
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

    /// Restarts the measurement of an exchange at the given number of bytes.
    package mutating func measureAnew(_ ticket: Ticket, moved: Int64?, at now: WallTime) {
        flows[ticket]?.used = nil
        flows[ticket]?.seenAt = now
        if let moved { flows[ticket]?.seen = moved }
    }

    /// Measures an exchange by its number of bytes until now.
    package mutating func measure(_ ticket: Ticket, moved: Int64, at now: WallTime) {
        guard let flow = flows[ticket] else { return }
        let span = (now - flow.seenAt).microseconds
        guard span >= Self.tick.microseconds / 2 else { return }
        flows[ticket]?.used = Int64(Double(max(0, moved - flow.seen)) * 1_000_000 / Double(span))
        flows[ticket]?.seen = moved
        flows[ticket]?.seenAt = now
    }

    /// Plans the next measurement if a rate is shared. Returns the session's demand.
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

    /// Small changes are measurement noise.
    private static func isWorthTelling(_ old: Int64?, _ new: Int64?) -> Bool {
        guard let old, let new else { return old != new }
        return (old - new).magnitude > (old / 16).magnitude
    }

    private static func isMore(_ new: Int64?, than old: Int64?) -> Bool {
        guard let old else { return false }
        return new.map { $0 > old } ?? true
    }
}
