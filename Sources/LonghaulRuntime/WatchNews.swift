import LonghaulCore

/// What became of one transfer since the watchers were told last. An object: it is sorted among many, and what there is to show of
/// it is made once, when somebody wants to see that.
final class WatchNews {
    let id: TransferID
    let group: String?
    /// The number of the change.
    let number: UInt64
    /// Order of submission; what is gone comes first.
    let sequence: Int64
    /// Whether nothing has changed but figures.
    let isProgress: Bool
    /// `nil` for a removed transfer.
    private let record: TransferRecord?
    private var value: TransferSnapshot?

    init(_ id: TransferID, _ record: TransferRecord?, group: String?, number: UInt64) {
        self.id = id
        self.record = record
        self.group = group
        self.number = number
        sequence = record?.sequence ?? 0
        isProgress = false
    }

    /// One that runs, and of which nothing was noted.
    init(ofRunning value: TransferSnapshot) {
        id = value.id
        group = value.group
        number = .max
        sequence = value.sequence
        isProgress = true
        record = nil
        self.value = value
    }

    func add(
        to update: inout WatchUpdate, inBrief: Bool,
        _ snapshot: (TransferID, TransferRecord?) -> TransferSnapshot?
    ) {
        if inBrief, let success = record?.success { return update.succeeded.append(success) }
        if value == nil, let record { value = snapshot(id, record) }
        if let value { update.changed.append(value) } else { update.removed.append(id) }
    }
}

extension TransferRecord {
    /// What is told of it in brief; `nil` unless it has succeeded.
    var success: WatchUpdate.Success? {
        guard case .succeeded = state else { return nil }
        return WatchUpdate.Success(id: id, path: facts.download.finalPath)
    }
}
