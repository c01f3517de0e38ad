import LonghaulCore

/// What watchers are told from: the loop's view of its transfers.
struct WatchView {
    /// A transfer as it is shown, given its record, which memory may know better.
    var snapshot: (TransferRecord) -> TransferSnapshot
    /// All that run.
    var running: () -> [TransferSnapshot]
    /// A transfer's record; `nil` when it is gone.
    var record: (TransferID) throws(TransferFailure) -> TransferRecord?
    /// Whether it only waits for its turn, which is known without a look at the disk.
    var isQueued: (TransferID) -> Bool
    /// A page of a list, and whether there are more.
    var page: (ListQuery) throws(TransferFailure) -> (records: [TransferRecord], hasMore: Bool)

    /// Somebody may name one twice.
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
