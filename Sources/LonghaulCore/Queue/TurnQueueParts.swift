/// What the queue is made of.
extension TurnQueue {
    struct Pair: Hashable, Sendable {
        var host: Int
        var group: Int
        var isDefiant = false
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

    enum Spot: Sendable { case eligible, held, host, group }
    enum Kind: Sendable { case host, group }

    struct Bucket: Sendable {
        var host: Int
        var group: Int
        /// Whether its entries do not care that the host is held.
        var isDefiant: Bool
        var entries = Heap<Place>()
        /// The one valid claim, and where it lies; copies that differ from it are passed over.
        var token: Token?
        var spot = Spot.eligible
    }

    /// A host or a group.
    struct Lane: Sendable {
        var name: String
        var running = 0
        var parked = Heap<Token>()
        /// Parked until the host is held no more.
        var held = Heap<Token>()
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
