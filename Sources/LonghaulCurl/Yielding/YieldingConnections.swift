import LonghaulCore
import LonghaulSystem
import Synchronization

/// The connections of background transfers, which yield to all other traffic (``YieldWindow``). Connections to one host
/// share a window, because they share a path.
struct YieldingConnections {
    /// The interval of checks, in nanoseconds.
    private static let tick: Int64 = 5_000_000
    /// The background bytes of all sessions of this process: sessions do not yield to each other.
    private static let moved = BackgroundBytes()

    enum Direction {
        case receiving
        case sending
    }

    /// The bandwidth for one connection.
    struct PaceLimit {
        /// Bytes in flight.
        var window: Int64
        /// Bytes per second.
        var pace: Int64
        /// Whether the window has just been adjusted.
        var isNew: Bool
    }

    struct Path: Hashable {
        var host: String
        var direction: Direction
    }

    private struct Group {
        var window = YieldWindow()
        var others = OthersTraffic()
        var members: [YieldingMember] = []
        /// Bytes transferred by the connections of this group.
        var moved: Int64 = 0
    }

    private var groups: [Path: Group] = [:]
    private var members: [Ticket: YieldingMember] = [:]
    /// The next check; `nil` if there are no connections.
    private(set) var nextLook: Int64?

    subscript(exchange: Exchange) -> YieldingMember? { members.isEmpty ? nil : members[exchange.ticket] }

    /// Adds an exchange that starts to transfer, if it yields.
    mutating func add(_ exchange: Exchange, at now: Int64) {
        guard exchange.plan.yields else { return }
        remove(exchange)
        let member = YieldingMember(exchange)
        members[exchange.ticket] = member
        groups[member.way, default: Group()].members.append(member)
        nextLook = min(nextLook ?? .max, now + Self.tick)
    }

    mutating func remove(_ exchange: Exchange) {
        guard !members.isEmpty, let member = members.removeValue(forKey: exchange.ticket) else { return }
        member.end()
        groups[member.way]?.members.removeAll { $0 === member }
        if groups[member.way]?.members.isEmpty == true { groups[member.way] = nil }
        if members.isEmpty { nextLook = nil }
    }

    /// Checks all connections. Returns the bandwidth for each.
    mutating func check(at now: Int64) -> [(YieldingMember, PaceLimit)] {
        guard let due = nextLook, due <= now else { return [] }
        nextLook = now + Self.tick
        return Array(groups.keys).flatMap { check(at: $0, now) }
    }

    private mutating func check(at way: Path, _ now: Int64) -> [(YieldingMember, PaceLimit)] {
        guard var group = groups.removeValue(forKey: way) else { return [] }
        defer { groups[way] = group }
        var counted = 0
        for member in group.members {
            guard let sight = member.measure() else { continue }
            counted += 1
            group.moved += sight.gained
            Self.moved.add(sight.carried, way.direction)
            if let idle = sight.idleRoundTrip { group.window.learn(idleRoundTrip: idle, at: now) }
            group.window.learn(segment: sight.segment)
            group.window.observe(roundTrip: sight.roundTrip, at: now)
        }
        guard counted > 0 else { return [] }
        readInterface(&group, way.direction, now)
        let isNew = group.window.step(moved: group.moved, othersAreBusy: group.others.areBusy, at: now)
        let room = PaceLimit(
            window: group.window.share(of: counted), pace: group.window.pace / Int64(counted), isNew: isNew)
        return group.members.map { ($0, room) }
    }

    private func readInterface(_ group: inout Group, _ direction: Direction, _ now: Int64) {
        guard group.others.isDue(at: now) else { return }
        for member in group.members {
            guard let bytes = member.connection?.interfaceBytes else { continue }
            let counter = direction == .receiving ? bytes.received : bytes.sent
            group.others.update(counter: counter, own: Self.moved.count(direction), at: now)
            return
        }
    }
}

/// Bytes in either direction, counted by several threads.
private final class BackgroundBytes: Sendable {
    private let received = Atomic<Int64>(0)
    private let sent = Atomic<Int64>(0)

    func add(_ count: Int64, _ direction: YieldingConnections.Direction) {
        switch direction {
        case .receiving: received.wrappingAdd(count, ordering: .relaxed)
        case .sending: sent.wrappingAdd(count, ordering: .relaxed)
        }
    }

    func count(_ direction: YieldingConnections.Direction) -> Int64 {
        switch direction {
        case .receiving: received.load(ordering: .relaxed)
        case .sending: sent.load(ordering: .relaxed)
        }
    }
}
