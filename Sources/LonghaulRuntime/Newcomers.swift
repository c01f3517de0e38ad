import LonghaulCore
import LonghaulStore

/// Transfers that were just submitted and wait for their turn, as they are in the store: those whose turn comes soon need not be
/// read back. A few of them; the others of a long queue are in the store alone.
struct Newcomers {
    /// About twenty megabytes of them.
    private static let room = 16_384

    private var transfers: [TransferID: StoredTransfer] = [:]

    subscript(id: TransferID) -> StoredTransfer? { transfers[id] }

    mutating func add(_ transfer: StoredTransfer) {
        if transfers.count < Self.room { transfers[transfer.record.id] = transfer }
    }

    /// Something has become of it.
    mutating func remove(_ id: TransferID) {
        if !transfers.isEmpty { transfers[id] = nil }
    }

    var all: [StoredTransfer] { Array(transfers.values) }

    mutating func removeAll() { transfers = [:] }
}
