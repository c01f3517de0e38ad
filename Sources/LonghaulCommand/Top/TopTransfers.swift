import LonghaulCore

/// The transfers that `top` shows, in its order: running, waiting, queued, paused, failed, and other ended ones.
struct TopTransfers: Equatable, Sendable {
    /// The number of ended transfers that are kept.
    static let keptEnded = 100

    private(set) var transfers: [TransferID: TransferSnapshot] = [:]
    /// Known transfers that the current list has not contained so far.
    private var untold: Set<TransferID>?
    /// Transfers that were missing in a list: they ended without an update, or were removed. The next answer decides.
    private var doubtful: Set<TransferID> = []
    /// Whether a list was complete once.
    private(set) var isComplete = false
    private var sorted: [TransferID] = []
    private var isSorted = true

    /// All of them, in order.
    var order: [TransferID] {
        mutating get {
            sortIfNeeded()
            return sorted
        }
    }

    mutating func apply(_ update: WatchUpdate, now: WallTime) {
        if update.beginsList { untold = Set(transfers.filter { !$0.value.state.isEnded }.keys) }
        for transfer in update.changed { put(transfer) }
        for success in update.succeeded { end(success, now: now) }
        for id in update.removed { forget(id) }
        guard update.completesList else { return }
        doubtful.formUnion(untold ?? [])
        untold = nil
        isComplete = true
    }

    /// Adds transfers that ended before `top` started.
    mutating func add(ended: [TransferSnapshot]) {
        for transfer in ended where transfers[transfer.id] == nil { put(transfer) }
    }

    /// Stores newer values of requested transfers. Doubtful transfers that the answer lacks no longer exist.
    mutating func refresh(_ newest: [TransferSnapshot], of asked: [TransferID]) {
        for transfer in newest where transfers[transfer.id] != nil { put(transfer) }
        for id in asked where doubtful.contains(id) { forget(id) }
    }

    private mutating func put(_ transfer: TransferSnapshot) {
        untold?.remove(transfer.id)
        doubtful.remove(transfer.id)
        let before = transfers.updateValue(transfer, forKey: transfer.id)
        if before.map(Place.init) != Place(transfer) { isSorted = false }
    }

    private mutating func end(_ success: WatchUpdate.Success, now: WallTime) {
        untold?.remove(success.id)
        guard var transfer = transfers[success.id] else { return }
        transfer.state = .succeeded
        transfer.endedAt = now
        transfer.rate = 0
        transfer.bytesDone = transfer.bytesTotal ?? transfer.bytesDone
        if let path = success.path { transfer.path = path }
        put(transfer)
    }

    private mutating func forget(_ id: TransferID) {
        untold?.remove(id)
        doubtful.remove(id)
        if transfers.removeValue(forKey: id) != nil { isSorted = false }
    }

    private mutating func sortIfNeeded() {
        guard !isSorted else { return }
        isSorted = true
        let places = transfers.values.map { (Place($0), $0.id) }.sorted { $0.0 < $1.0 }
        let ended = places.partitioningIndex { $0.0.rank >= Place.failedRank }
        for (_, id) in places[ended...].dropFirst(Self.keptEnded) { transfers[id] = nil }
        sorted = places.prefix(ended + Self.keptEnded).map(\.1)
    }

    /// The place of a transfer in the order.
    private struct Place: Equatable, Comparable {
        static let failedRank = 4

        var rank: Int
        var within: Int64
        var sequence: Int64

        init(_ transfer: TransferSnapshot) {
            sequence = transfer.sequence
            within = 0
            switch transfer.state {
            case .running, .awaitingResponse: rank = 0
            case .waiting(let waiting):
                rank = waiting.reason == .turn ? 2 : 1
                // The queue is shown in the order in which its transfers start.
                if rank == 2 { within = -Int64(transfer.priority) }
            case .paused: rank = 3
            case .succeeded, .failed, .cancelled:
                rank = transfer.state.isFailed ? Self.failedRank : Self.failedRank + 1
                // The newest first.
                within = -(transfer.endedAt?.microseconds ?? 0)
            }
        }

        static func < (left: Place, right: Place) -> Bool {
            (left.rank, left.within, left.sequence) < (right.rank, right.within, right.sequence)
        }
    }
}
