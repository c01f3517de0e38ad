import LonghaulCore
import LonghaulSystem
import Synchronization

/// The connections of background transfers, which make room for everybody else's (``YieldWindow``): those with one host share a
/// window, since they share a way.
struct YieldingConnections {
    /// How often connections are looked at, in nanoseconds.
    private static let tick: Int64 = 5_000_000
    /// What all sessions of this process have moved in the background: no session gives way to another one's.
    private static let moved = BackgroundBytes()

    enum Direction {
        case receiving
        case sending
    }

    /// What one connection may take of its way.
    struct Room {
        /// Bytes under way.
        var window: Int64
        /// Bytes a second.
        var pace: Int64
        /// Whether the window was just decided anew.
        var isNew: Bool
    }

    private struct Way: Hashable {
        var host: String
        var direction: Direction
    }

    private struct Group {
        var window = YieldWindow()
        var others = OthersTraffic()
        var members: [Exchange] = []
        /// What connections of this group have moved.
        var moved: Int64 = 0
    }

    private var groups: [Way: Group] = [:]
    /// When they are looked at next; `nil` while there are none.
    private(set) var nextLook: Int64?

    mutating func add(_ exchange: Exchange, at now: Int64) {
        remove(exchange)
        groups[way(of: exchange), default: Group()].members.append(exchange)
        nextLook = min(nextLook ?? .max, now + Self.tick)
    }

    mutating func remove(_ exchange: Exchange) {
        for (way, group) in groups where group.members.contains(where: { $0 === exchange }) {
            groups[way]?.members.removeAll { $0 === exchange }
            // What was learnt of a way is kept for the next transfer while another one uses it.
            if groups[way]?.members.isEmpty == true { groups[way] = nil }
        }
        if groups.isEmpty { nextLook = nil }
    }

    /// Looks at all connections. Answers what each may take.
    mutating func look(at now: Int64) -> [(Exchange, Room)] {
        guard let due = nextLook, due <= now else { return [] }
        nextLook = now + Self.tick
        return Array(groups.keys).flatMap { look(at: $0, now) }
    }

    private mutating func look(at way: Way, _ now: Int64) -> [(Exchange, Room)] {
        guard var group = groups.removeValue(forKey: way) else { return [] }
        defer { groups[way] = group }
        var counted = 0
        for exchange in group.members {
            guard let sight = exchange.lookAtConnection(way.direction) else { continue }
            counted += 1
            group.moved += sight.gained
            Self.moved.add(sight.gained, way.direction)
            if let idle = sight.idleRoundTrip { group.window.learn(idleRoundTrip: idle, at: now) }
            group.window.learn(segment: sight.segment)
            group.window.observe(roundTrip: sight.roundTrip, at: now)
        }
        guard counted > 0 else { return [] }
        lookAtInterface(&group, way.direction, now)
        let isNew = group.window.step(moved: group.moved, othersAreBusy: group.others.areBusy, at: now)
        let room = Room(
            window: group.window.share(of: counted), pace: group.window.pace / Int64(counted), isNew: isNew)
        return group.members.map { ($0, room) }
    }

    private func lookAtInterface(_ group: inout Group, _ direction: Direction, _ now: Int64) {
        guard group.others.isDue(at: now) else { return }
        for exchange in group.members {
            guard let bytes = exchange.connection?.interfaceBytes else { continue }
            let counter = direction == .receiving ? bytes.received : bytes.sent
            group.others.note(counter: counter, own: Self.moved.count(direction), at: now)
            return
        }
    }

    private func way(of exchange: Exchange) -> Way {
        Way(host: exchange.host, direction: exchange.yieldDirection)
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
