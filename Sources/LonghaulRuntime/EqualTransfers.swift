import LonghaulCore
import LonghaulStore

/// The latest transfers that had not ended when they were read, indexed by their request. Each is read once, so that a command costs
/// the same in a long queue. A transfer with ten thousand later ones is not found.
struct EqualTransfers {
    private static let most = 10_000

    private var ids: [Int: [TransferID]] = [:]
    private var count = 0
    private var latest: Int64 = 0
    private var updatedFor: WallTime?

    /// Returns the transfers with an equal request, judged by its hash.
    subscript(spec: TransferSpec) -> [TransferID] { ids[spec.equalityHash] ?? [] }

    /// Reads the transfers submitted since the last call. The lines of one list use the same time, so that transfers submitted
    /// between them do not count.
    mutating func update(for date: WallTime, from store: Store) throws(TransferFailure) {
        guard updatedFor != date else { return }
        if count > 2 * Self.most { self = EqualTransfers() }
        updatedFor = date
        try store.latestSpecs(after: latest, limit: Self.most) { sequence, id, spec in
            ids[spec.equalityHash, default: []].append(id)
            count += 1
            latest = max(latest, sequence)
        }
    }
}
