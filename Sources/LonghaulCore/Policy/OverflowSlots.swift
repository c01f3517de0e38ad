/// Slots beyond a default limit, so that transfers wait only a limited time behind large ones.
///
/// While transfers wait at a full limit, at least one starts every three seconds: in a free slot, or else in an
/// overflow slot. Overflow turns alternate between the first transfer known to be small and the first in line. A turn
/// in an overflow slot lasts three seconds. Then the transfer stops if it can resume later and another one waits. This
/// happens once; from then on, the transfer waits for a usual slot. Otherwise it keeps running, and the next turn
/// starts in another slot. A limit has four overflow slots, the last of them for small transfers only.
package struct OverflowSlots: Equatable, Sendable {
    /// How long a turn in an overflow slot lasts, and how long a line may stall before the first turn.
    package static let turn = Duration.seconds(3)
    /// The maximum number of transfers in the overflow slots of one limit.
    package static let most = 4

    package enum Place: Hashable, Comparable, Sendable {
        case total
        case host(String)
    }

    package enum Decision: Equatable, Sendable {
        case admit(TransferID)
        case sendAway(TransferID)

        package var admitted: TransferID? { if case .admit(let id) = self { id } else { nil } }
    }

    /// The next transfers in line at a limit.
    struct Line: Equatable, Sendable {
        /// The first in line.
        var first: TransferID
        /// The first that is known to be small.
        var firstSmall: TransferID?
    }

    private struct Holder: Equatable, Sendable {
        var places: [Place]
        var since: WallTime
        /// Whether the server has shown that it can resume.
        var isResumable = false
    }

    private var holders: [TransferID: Holder] = [:]
    /// Limits whose last turn went to a small transfer ahead of others.
    private var favored: Set<Place> = []
    /// Transfers that had to stop.
    private var former: Set<TransferID> = []
    /// The next review; `nil` for at once.
    package private(set) var reviewAt: WallTime?

    package init() {}

    package func isFormer(_ id: TransferID) -> Bool { !former.isEmpty && former.contains(id) }

    package func isDue(at now: WallTime) -> Bool {
        guard let reviewAt else { return true }
        // A clock that was set back must not delay a turn.
        return reviewAt <= now || reviewAt > now + Self.turn
    }

    /// Decides about the transfers that wait at full limits, for the hosts with running transfers. `mayLeave` is called
    /// for a transfer that could resume. An admitted transfer has been removed from the queue.
    package mutating func decide(
        _ queue: inout TurnQueue, _ hosts: [String], at now: WallTime, mayLeave: (TransferID) -> Bool
    ) -> Decision? {
        // After the clock was set back.
        for (id, holder) in holders where holder.since > now { holders[id]?.since = now }
        reviewAt = now + Self.turn
        let hosts = hosts.map(Place.host)
        for place in hosts + [.total] where !queue.isOver(place) { clear(place) }
        guard queue.isCrowded(.total) || queue.hasRoomInAll(forSharing: false) else { return nil }
        for place in queue.isCrowded(.total) ? [.total] : hosts.filter(queue.isCrowded) {
            if let decision = decide(&queue, place, at: now, mayLeave) { return decision }
        }
        return nil
    }

    private mutating func decide(
        _ queue: inout TurnQueue, _ place: Place, at now: WallTime, _ mayLeave: (TransferID) -> Bool
    ) -> Decision? {
        guard let line = queue.line(at: place, permits: { nextTurn($0, lastStart: $1, at: now) == nil })
        else { return nil }
        if let id = leaver(place, at: now, mayLeave) { return .sendAway(id) }
        if let date = nextTurn(place, lastStart: queue.lastStart(at: place), at: now) {
            reviewAt = min(reviewAt ?? date, date)
            return nil
        }
        guard let id = choose(line, at: place) else { return nil }
        var places = [place]
        if place == .total, let host = queue.host(of: id).map(Place.host), queue.isCrowded(host) {
            places.append(host)
        }
        holders[id] = Holder(places: places, since: now)
        reviewAt = nil
        queue.admit(id)
        return .admit(id)
    }

    /// Moves the transfers in overflow slots to usual slots, because one is free.
    private mutating func clear(_ place: Place) {
        favored.remove(place)
        for (id, holder) in holders where holder.places.contains(place) {
            holders[id]?.places.removeAll { $0 == place }
            if holder.places.count == 1 { holders[id] = nil }
        }
    }

    /// Returns when an overflow turn may start here; `nil` for now.
    private func nextTurn(_ place: Place, lastStart: WallTime?, at now: WallTime) -> WallTime? {
        let here = holders.values.filter { $0.places.contains(place) }
        let latest = (here.map(\.since) + [lastStart].compactMap { $0 }.filter { $0 <= now }).max()
        if let latest, now - latest < Self.turn { return latest + Self.turn }
        return here.count < Self.most ? nil : now + Self.turn
    }

    /// Returns the transfer that must stop at a limit, because its turn is over and others wait.
    private mutating func leaver(_ place: Place, at now: WallTime, _ mayLeave: (TransferID) -> Bool) -> TransferID? {
        let due = holders.filter { id, holder in
            holder.places.contains(place) && holder.isResumable && now - holder.since >= Self.turn && !isFormer(id)
        }
        guard let id = due.keys.sorted().first(where: mayLeave) else { return nil }
        former.insert(id)
        return id
    }

    /// Returns the transfer that gets the turn.
    private mutating func choose(_ line: Line, at place: Place) -> TransferID? {
        let isLast = holders.values.count { $0.places.contains(place) } == Self.most - 1
        if let small = line.firstSmall, isLast || !favored.contains(place) {
            favored.insert(place)
            return small
        }
        guard !isLast else { return nil }
        favored.remove(place)
        return line.first
    }

    /// Records a response to a transfer.
    package mutating func recordResponse(_ head: ResponseHead, of id: TransferID) {
        if !holders.isEmpty, head.servesRanges { holders[id]?.isResumable = true }
    }

    package mutating func recordArrival() { reviewAt = nil }

    /// Records that the transfer released its slot.
    package mutating func recordExit(_ id: TransferID) {
        if !holders.isEmpty, holders.removeValue(forKey: id) != nil { reviewAt = nil }
    }

    /// Records that the transfer ended.
    package mutating func forget(_ id: TransferID) {
        if !former.isEmpty { former.remove(id) }
    }
}
