/// What the queue is made of.
extension TurnQueue {
    /// What the queue knows of a transfer.
    package struct Entry: Equatable, Sendable {
        package var id: TransferID
        package var sequence: Int64
        package var priority: Int
        package var host: String
        package var group: String
        /// Whether its request must not go over a connection that carried another one. Counted from its turn on.
        package var needsOwnConnection: Bool
        /// Whether it had the place of a guest already (`GuestPlaces`).
        package var wasGuest = false

        package init(
            id: TransferID, sequence: Int64, priority: Int, host: String, group: String,
            needsOwnConnection: Bool = false
        ) {
            self.id = id
            self.sequence = sequence
            self.priority = priority
            self.host = host
            self.group = group
            self.needsOwnConnection = needsOwnConnection
        }
    }

    struct Pair: Hashable, Sendable {
        var host: Int
        var group: Int
        /// Whether its entries do not care that the host is held.
        var isDefiant = false
        /// Whether its entries had the place of a guest already.
        var wasGuest = false
    }

    /// Where the bucket of each pair is.
    struct BucketIndex: Sendable {
        private var ofPair: [Pair: Int] = [:]
        /// The one that was looked for last: most transfers of a list share a host and a group.
        private var latest: (host: String, group: String, index: Int)?

        subscript(pair: Pair) -> Int? {
            get { ofPair[pair] }
            set { ofPair[pair] = newValue }
        }

        func latest(host: String, group: String) -> Int? {
            guard let latest, latest.host == host, latest.group == group else { return nil }
            return latest.index
        }

        mutating func note(host: String, group: String, _ index: Int) { latest = (host, group, index) }
    }

    struct Place: Comparable, Sendable {
        var rank: Int
        var sequence: Int64
        var id: TransferID

        static func < (left: Place, right: Place) -> Bool {
            (left.rank, left.sequence) < (right.rank, right.sequence)
        }
    }

    /// A bucket's claim, ranked like its first entry.
    struct Token: Comparable, Sendable {
        var rank: Int
        var sequence: Int64
        var bucket: Int

        static func < (left: Token, right: Token) -> Bool {
            (left.rank, left.sequence, left.bucket) < (right.rank, right.sequence, right.bucket)
        }
    }

    /// What one that runs is counted with.
    struct Turn: Sendable {
        var bucket: Int32
        var isAlone: Bool
        var rank: Int
    }

    enum Spot: Sendable { case eligible, held, host, group }
    enum Kind: Sendable { case host, group }

    struct Bucket: Sendable {
        let pair: Pair
        var host: Int { pair.host }
        var group: Int { pair.group }
        var isDefiant: Bool { pair.isDefiant }
        var entries = Heap<Place>()
        /// The one valid claim, and where it lies; copies that differ from it are passed over.
        var token: Token?
        var spot = Spot.eligible
    }

    /// A host or a group.
    struct Lane: Sendable {
        var name: String
        var running = 0
        /// How many of these need a connection of their own.
        var runningAlone = 0
        /// The ranks of all that run.
        var ranks: [Int] = []
        /// Of a host: whether its transfers share connections.
        var sharesConnections = false
        var parked = Heap<Token>()
        /// Parked until the host is held no more.
        var held = Heap<Token>()

        /// Of a host: whether one more may run.
        func hasRoom(_ limits: SessionLimits) -> Bool {
            guard sharesConnections else { return running < limits.perHost }
            return TurnWeights(limits).hasRoomAtHost(running: running, sharing: running - runningAlone)
        }

        /// Of a host that is full: whether this may run all the same. One place more is for what goes before all that run there: what is
        /// urgent does not wait for the end of large files.
        func hasUrgentPlace(for rank: Int, _ limits: SessionLimits) -> Bool {
            limits.hasUsualPerHost && !sharesConnections && running == limits.perHost
                && ranks.allSatisfy { rank < $0 }
        }
    }

    struct Lanes: Sendable {
        private var lanes: [Lane] = []
        private var indices: [String: Int] = [:]

        subscript(index: Int) -> Lane {
            get { lanes[index] }
            _modify { yield &lanes[index] }
        }

        func known(_ name: String) -> Int? { indices[name] }

        mutating func index(of name: String) -> Int {
            if let index = indices[name] { return index }
            indices[name] = lanes.count
            lanes.append(Lane(name: name))
            return lanes.count - 1
        }
    }
}
