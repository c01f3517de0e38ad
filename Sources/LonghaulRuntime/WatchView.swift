import LonghaulCore

/// The loop's transfers, as the source of updates for watchers.
struct WatchView {
    /// Returns the snapshot of a record, or of its newer version in memory.
    var snapshot: (TransferRecord) -> TransferSnapshot
    /// Returns all running transfers.
    var running: () -> [TransferSnapshot]
    /// Returns a transfer's record; `nil` if it was deleted.
    var record: (TransferID) throws(TransferFailure) -> TransferRecord?
    /// Returns whether it only waits for its turn, without access to the disk.
    var isQueued: (TransferID) -> Bool
    /// Returns a page of a list, and whether there are more.
    var page: (ListQuery) throws(TransferFailure) -> (records: [TransferRecord], hasMore: Bool)

    /// Counts a transfer once, even if it is named twice.
    func countUnended(_ ids: [TransferID]) throws(TransferFailure) -> Int {
        var left = 0
        for id in Set(ids) {
            if isQueued(id) {
                left += 1
            } else if let record = try record(id), !record.state.isEnded {
                left += 1
            }
        }
        return left
    }
}
