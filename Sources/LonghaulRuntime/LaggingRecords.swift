import LonghaulCore
import LonghaulStore

/// Records in memory that are ahead of the disk, where that is harmless (`TransferRecord.mayLag`). Most are written with
/// the next change that must not lag, so that a short transfer costs fewer rows and commits; the others soon.
struct LaggingRecords {
    /// An object, since the values are long and looked at often.
    final class Entry {
        /// What is on the disk.
        let stored: TransferRecord
        let record: TransferRecord
        /// History that goes with it.
        let lines: [Store.HistoryRow]

        init(stored: TransferRecord, record: TransferRecord, lines: [Store.HistoryRow]) {
            self.stored = stored
            self.record = record
            self.lines = lines
        }
    }

    /// How long a record may lag.
    private static let patience = Duration.seconds(1)
    /// How many may: what lags is in memory.
    private static let room = 1_000

    private var entries: [TransferID: Entry] = [:]
    private var oldest: WallTime?
    /// How many are recorded as waiting and are not any more.
    private(set) var begun = 0

    subscript(id: TransferID) -> Entry? { entries[id] }

    var ids: [TransferID] { Array(entries.keys) }

    mutating func set(_ id: TransferID, _ entry: Entry?, at now: WallTime) {
        let before = if let entry { entries.updateValue(entry, forKey: id) } else { entries.removeValue(forKey: id) }
        begun += (entry?.isBegun ?? false ? 1 : 0) - (before?.isBegun ?? false ? 1 : 0)
        if entries.isEmpty { oldest = nil } else if oldest == nil { oldest = now }
    }

    /// When what lags is to be written; `nil` when nothing does.
    var dueAt: WallTime? { oldest.map { $0 + Self.patience } }

    func isDue(at now: WallTime) -> Bool {
        guard let oldest else { return false }
        // A clock that was set back must not keep anything from the disk.
        return entries.count > Self.room || now >= oldest + Self.patience || now < oldest
    }
}

extension LaggingRecords.Entry {
    fileprivate var isBegun: Bool {
        stored.state.isWaiting && !record.state.isWaiting
    }
}

extension TransferState {
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
