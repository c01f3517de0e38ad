/// One place more than the limits say, at each host and in all, for who waits behind transfers that all take long: what is large
/// cannot starve what is small.
///
/// A place is clogged when all who have it kept it for `patience`. Then the next in line begins as a guest; nobody is stopped for that.
/// What is small ends soon, and the next one follows at once. A guest that is large itself leaves when it has stayed for `patience` and
/// somebody else waits, provided that it can go on later from where it is: once, and then it waits for a usual place.
package struct GuestPlaces: Equatable, Sendable {
    /// How long a transfer keeps its place before it counts as a long one.
    package static let patience = Duration.seconds(60)
    /// How often it is looked.
    static let interval = Duration.seconds(5)

    package enum Place: Hashable, Comparable, Sendable {
        case all
        case host(String)
    }

    package enum Crowding: Equatable, Sendable {
        /// There is room, or no guest is wanted.
        case room
        case full
        /// One more runs than usual.
        case over

        init(_ running: Int, of usual: Int) {
            self = running < usual ? .room : running == usual ? .full : .over
        }
    }

    package enum Decision: Equatable, Sendable {
        case admit(TransferID)
        case sendAway(TransferID)

        package var admitted: TransferID? { if case .admit(let id) = self { id } else { nil } }
    }

    /// Since when those run that were seen to.
    private var since: [TransferID: WallTime] = [:]
    private var guests: [Place: TransferID] = [:]
    /// Guests whose server has shown that it can send the rest alone.
    private var resumable: Set<TransferID> = []
    /// Those that were sent away.
    private var former: Set<TransferID> = []
    /// When it is looked next; `nil` for at once.
    package private(set) var reviewAt: WallTime?

    package init() {}

    package func isFormer(_ id: TransferID) -> Bool { !former.isEmpty && former.contains(id) }

    package func isDue(at now: WallTime) -> Bool {
        guard let reviewAt else { return true }
        // A clock that was set back must not make anybody wait.
        return reviewAt <= now || reviewAt > now + Self.interval
    }

    /// Begins a look: these run now.
    package mutating func see(_ running: [TransferID], at now: WallTime) {
        since = running.reduce(into: [:]) { dates, id in dates[id] = min(since[id] ?? now, now) }
        guests = guests.filter { since[$0.value] != nil }
        resumable = resumable.filter { since[$0] != nil }
        reviewAt = now + Self.interval
    }

    /// What is to be done about a place that these have, and for which `next` waits. `mayLeave` is asked of a guest whose time is over.
    package mutating func decide(
        _ place: Place, _ crowding: Crowding, _ ids: [TransferID], next: TransferID?, at now: WallTime,
        mayLeave: (TransferID) -> Bool
    ) -> Decision? {
        switch crowding {
        case .room, .full:
            // A usual place became free, and the guest has it now.
            guests[place] = nil
            guard crowding == .full, let next, ids.allSatisfy({ isLong($0, at: now) }) else { return nil }
            guests[place] = next
            reviewAt = nil
            return .admit(next)
        case .over:
            guard let guest = guests[place], !former.contains(guest), next != nil, isLong(guest, at: now),
                resumable.contains(guest), mayLeave(guest)
            else { return nil }
            former.insert(guest)
            return .sendAway(guest)
        }
    }

    /// The server of a guest has answered.
    package mutating func note(_ head: ResponseHead, of id: TransferID) {
        if head.servesRanges, guests.values.contains(id) { resumable.insert(id) }
    }

    /// It has given its place back.
    package mutating func noteLeft(_ id: TransferID) {
        if !guests.isEmpty, guests.values.contains(id) { reviewAt = nil }
    }

    /// It has ended.
    package mutating func forget(_ id: TransferID) {
        if !former.isEmpty { former.remove(id) }
    }

    private func isLong(_ id: TransferID, at now: WallTime) -> Bool {
        since[id].map { now - $0 >= Self.patience } ?? false
    }
}
