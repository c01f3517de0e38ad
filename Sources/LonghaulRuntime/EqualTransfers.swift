import LonghaulCore
import LonghaulStore

/// The latest transfers that had not ended when they were looked at, by what they ask for. Each is read once, so that a command costs the
/// same however long the queue is; one that lies behind ten thousand later ones is not found.
struct EqualTransfers {
    private static let most = 10_000

    private var ids: [Int: [TransferID]] = [:]
    private var count = 0
    private var latest: Int64 = 0
    private var updatedFor: WallTime?

    /// Those that ask for the same as this, or seem to.
    subscript(spec: TransferSpec) -> [TransferID] { ids[spec.equalityHash] ?? [] }

    /// Takes in what was submitted since the last time. The lines of a list ask about the same date, and those before them do not count.
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
