import LonghaulCore

/// A changed transfer. A class, because it is sorted among many, and its snapshot is made once, on the first access.
final class WatchChange {
    let id: TransferID
    /// Order of submission; deleted transfers come first.
    let sequence: Int64
    /// `nil` for a removed transfer.
    private let record: TransferRecord?
    private var value: TransferSnapshot?

    init(_ id: TransferID, _ record: TransferRecord?, sequence: Int64) {
        self.id = id
        self.record = record
        self.sequence = sequence
    }

    /// Initializes the update of a running transfer of which only the progress changed.
    init(ofRunning value: TransferSnapshot) {
        id = value.id
        sequence = value.sequence
        record = nil
        self.value = value
    }

    static func gone(_ id: TransferID) -> WatchChange { WatchChange(id, nil, sequence: 0) }

    var group: String? { value.map { $0.group ?? "" } }

    func add(
        to update: inout WatchUpdate, inBrief: Bool,
        _ snapshot: (TransferRecord) -> TransferSnapshot
    ) {
        if inBrief, let success = record?.success { return update.succeeded.append(success) }
        if value == nil, let record { value = snapshot(record) }
        if let value { update.changed.append(value) } else { update.removed.append(id) }
    }
}

extension TransferRecord {
    /// The brief form of the update; `nil` unless it has succeeded.
    var success: WatchUpdate.Success? {
        guard case .succeeded = state else { return nil }
        return WatchUpdate.Success(id: id, path: facts.download.finalPath)
    }
}
