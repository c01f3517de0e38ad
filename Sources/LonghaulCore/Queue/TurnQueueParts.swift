/// The parts of the queue.
extension TurnQueue {
    /// A transfer in the queue.
    package struct Entry: Equatable, Sendable {
        package var id: TransferID
        package var sequence: Int64
        package var priority: Int
        package var host: String
        package var group: String
        /// Whether its request needs a new connection. Counted from its turn on.
        package var needsOwnConnection: Bool
        package var standing: TurnStanding

        package init(
            id: TransferID, sequence: Int64, priority: Int, host: String, group: String,
            needsOwnConnection: Bool = false, standing: TurnStanding = .usual
        ) {
            self.id = id
            self.sequence = sequence
            self.priority = priority
            self.host = host
            self.group = group
            self.needsOwnConnection = needsOwnConnection
            self.standing = standing
        }
    }
}

struct TurnPair: Hashable, Sendable {
    var host: Int
    var group: Int
    /// Whether its entries ignore the hold of the host.
    var isDefiant = false
    var standing = TurnStanding.usual
}

struct TurnPlace: Comparable, Sendable {
    var rank: Int
    var sequence: Int64
    var id: TransferID

    static func < (left: TurnPlace, right: TurnPlace) -> Bool {
        (left.rank, left.sequence) < (right.rank, right.sequence)
    }
}

/// A bucket's claim, ranked like its first entry.
struct TurnToken: Comparable, Sendable {
    var rank: Int
    var sequence: Int64
    var bucket: Int

    static func < (left: TurnToken, right: TurnToken) -> Bool {
        (left.rank, left.sequence, left.bucket) < (right.rank, right.sequence, right.bucket)
    }
}

/// How a running transfer counts.
struct RunningTurn: Sendable {
    var bucket: Int32
    var isAlone: Bool
    var isPrompt: Bool
    var rank: Int
}

enum TokenPlace: Sendable { case eligible, held, host, group }
enum TurnLaneKind: Sendable { case host, group }

struct TurnBucket: Sendable {
    let pair: TurnPair
    var host: Int { pair.host }
    var group: Int { pair.group }
    var isDefiant: Bool { pair.isDefiant }
    var entries = Heap<TurnPlace>()
    /// The only valid claim, and its place; copies that differ from it are skipped.
    var token: TurnToken?
    var spot = TokenPlace.eligible
}

/// The buckets, one for each pair.
struct TurnBuckets: Sendable {
    private var list: [TurnBucket] = []
    private var ofPair: [TurnPair: Int] = [:]
    /// The latest one: most transfers of a list share a host, a group, and a standing.
    private var latest: (host: String, group: String, standing: TurnStanding, index: Int)?

    var indices: Range<Int> { list.indices }

    subscript(index: Int) -> TurnBucket {
        get { list[index] }
        _modify { yield &list[index] }
    }

    mutating func index(of pair: TurnPair) -> Int {
        if let index = ofPair[pair] { return index }
        ofPair[pair] = list.count
        list.append(TurnBucket(pair: pair))
        return list.count - 1
    }

    func latest(host: String, group: String, _ standing: TurnStanding) -> Int? {
        guard let latest, latest.standing == standing, latest.host == host, latest.group == group else { return nil }
        return latest.index
    }

    mutating func record(host: String, group: String, _ standing: TurnStanding, _ index: Int) {
        latest = (host, group, standing, index)
    }
}

/// Transfers that start beyond limits.
struct PromptTurns: Sendable {
    /// Buckets with only such transfers.
    var buckets: Set<Int> = []
    /// Transfers that the user started, until they end.
    var started: Set<TransferID> = []
}

/// A host or a group.
struct TurnLane: Sendable {
    var name: String
    var running = 0
    /// How many of these share no connection.
    var runningAlone = 0
    /// How many of these start beyond limits.
    var runningPrompt = 0
    /// When the latest of its transfers started in a regular slot.
    var startedAt: WallTime?
    /// The ranks of its running transfers.
    var ranks: [Int] = []
    /// For a host: whether its transfers share connections.
    var sharesConnections = false
    var parked = Heap<TurnToken>()
    /// Parked until the hold of the host ends.
    var held = Heap<TurnToken>()

    /// For a host: whether one more may run.
    func hasRoom(_ limits: SessionLimits) -> Bool {
        guard sharesConnections else { return running < limits.perHost }
        return TurnWeights(limits).hasRoomAtHost(running: running, sharing: running - runningAlone)
    }

    /// For a host: the maximum number of running transfers.
    func most(_ limits: SessionLimits) -> Int { sharesConnections ? limits.streams : limits.perHost }

    /// For a full host: whether a transfer of this rank may run. One extra slot is for a higher priority than that of all transfers
    /// that run there.
    func hasUrgentPlace(for rank: Int, _ limits: SessionLimits) -> Bool {
        limits.hasUsualPerHost && !sharesConnections && running <= limits.perHost + runningPrompt
            && ranks.allSatisfy { rank < $0 }
    }
}

struct TurnLanes: Sendable {
    private var lanes: [TurnLane] = []
    private var indices: [String: Int] = [:]

    subscript(index: Int) -> TurnLane {
        get { lanes[index] }
        _modify { yield &lanes[index] }
    }

    func known(_ name: String) -> Int? { indices[name] }

    mutating func index(of name: String) -> Int {
        if let index = indices[name] { return index }
        indices[name] = lanes.count
        lanes.append(TurnLane(name: name))
        return lanes.count - 1
    }
}
