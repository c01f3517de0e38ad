import LonghaulCore
import LonghaulStore

/// Recently submitted transfers that wait for their turn, as stored, so that they need not be read back if their turn comes soon.
/// Bounded: the rest of a long queue is only in the store.
struct SubmissionCache {
    /// About twenty megabytes.
    private static let room = 16_384

    private var transfers: [TransferID: StoredTransfer] = [:]

    subscript(id: TransferID) -> StoredTransfer? { transfers[id] }

    mutating func add(_ transfer: StoredTransfer) {
        if transfers.count < Self.room { transfers[transfer.record.id] = transfer }
    }

    /// Removes a transfer that has changed.
    mutating func remove(_ id: TransferID) {
        if !transfers.isEmpty { transfers[id] = nil }
    }

    var all: [StoredTransfer] { Array(transfers.values) }

    mutating func removeAll() { transfers = [:] }
}
