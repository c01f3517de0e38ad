import LonghaulCore
import LonghaulStore

/// State ahead of the disk: records that are written later, and actions that begin before their turn's commit.
///
/// The rules:
/// 1. A record may lag if a crash that leaves the earlier one leads to the same result (`TransferRecord.mayLag`). It takes effect at
///    once, and clients see it.
/// 2. It is written with the transfer's next change that must not lag, so that a short transfer costs fewer rows and commits; otherwise
///    after a second, when a thousand records lag, or before another reader of the disk.
/// 3. An attempt begins before the commit of the turn that grants it if that turn has not changed its transfer otherwise: its record
///    lags, so that the record is neither part of the commit nor undone with it. An attempt that needs a credential waits, because this
///    turn may have brought the credential.
/// 4. If a commit fails, records that lagged before the turn lag again; attempts that have begun continue.
struct WriteBehind {
    /// A class, because the values are large and read often.
    final class Entry {
        /// The record on the disk.
        let stored: TransferRecord
        let record: TransferRecord
        /// History to write with it.
        let lines: [Store.HistoryRow]

        init(stored: TransferRecord, record: TransferRecord, lines: [Store.HistoryRow]) {
            self.stored = stored
            self.record = record
            self.lines = lines
        }
    }

    /// How long a record may lag.
    private static let patience = Duration.seconds(1)
    /// How many records may lag, because they are in memory.
    private static let room = 1_000

    /// The engine's traits, which determine which records may lag.
    var traits = EngineTraits.ofProcess
    private var entries: [TransferID: Entry] = [:]
    private var oldest: WallTime?
    /// The entries before this turn, for transfers whose entry it has changed.
    private var earlier: [TransferID: Entry?] = [:]
    /// Actions that begin before the turn's commit.
    private var early: [(TransferID, TransferAction)] = []
    /// The number of transfers stored as waiting that no longer wait.
    private(set) var begun = 0

    subscript(id: TransferID) -> Entry? { entries[id] }

    var ids: [TransferID] { entries.keys.sorted() }

    /// Called after the turn's commit.
    mutating func didCommit() {
        // A small table keeps its capacity, so that it need not grow again in each turn.
        earlier.removeAll(keepingCapacity: earlier.count <= Self.room)
    }

    /// Records a transfer's change. Returns the entry to write in this turn; `nil` if it may lag.
    mutating func record(_ record: TransferRecord, since before: TransferRecord, at now: WallTime) -> Entry? {
        let lag = entries[record.id]
        var lines = lag?.lines ?? []
        if let line = record.history(since: before) {
            lines.append(
                Store.HistoryRow(
                    at: now, event: line.event, detail: line.detail, bytesDone: record.facts.bytesDone))
        }
        let entry = Entry(stored: lag?.stored ?? before, record: record, lines: lines)
        guard record.mayLag(behind: entry.stored, traits: traits) else { return entry }
        set(record.id, entry, at: now)
        return nil
    }

    /// Adds a line to the history of a transfer: text for the user, which may lag and which a crash may lose.
    mutating func addHistoryLine(_ event: String, _ detail: String, of record: TransferRecord, at now: WallTime) {
        let lag = entries[record.id]
        let row = Store.HistoryRow(at: now, event: event, detail: detail, bytesDone: record.facts.bytesDone)
        let entry = Entry(
            stored: lag?.stored ?? record, record: lag?.record ?? record, lines: (lag?.lines ?? []) + [row])
        set(record.id, entry, at: now)
    }

    /// Removes an entry that was written inside the turn's transaction, or whose transfer was deleted.
    mutating func recordWritten(_ id: TransferID, at now: WallTime) {
        if entries[id] != nil { set(id, nil, at: now) }
    }

    /// Lets actions begin before the commit, if the transfer's record allows that. The turn must not have changed it otherwise.
    mutating func beginsEarly(_ record: TransferRecord, _ actions: some Sequence<TransferAction>) -> Bool {
        guard entries[record.id] != nil, record.spec.options.credentialName == nil else { return false }
        early += actions.map { (record.id, $0) }
        earlier[record.id] = nil
        return true
    }

    mutating func takeEarlyActions() -> [(TransferID, TransferAction)] {
        defer { early = [] }
        return early
    }

    /// Called if the turn is not committed.
    mutating func undo(at now: WallTime) {
        for (id, entry) in earlier { put(id, entry, at: now) }
        earlier = [:]
    }

    /// When lagging records must be written; `nil` if there are none.
    var dueAt: WallTime? { oldest.map { $0 + Self.patience } }

    func isDue(at now: WallTime) -> Bool {
        guard let oldest else { return false }
        // A clock that was set back must not delay the writing.
        return entries.count > Self.room || now >= oldest + Self.patience || now < oldest
    }

    private mutating func set(_ id: TransferID, _ entry: Entry?, at now: WallTime) {
        if earlier[id] == nil { earlier[id] = .some(entries[id]) }
        put(id, entry, at: now)
    }

    private mutating func put(_ id: TransferID, _ entry: Entry?, at now: WallTime) {
        let before = if let entry { entries.updateValue(entry, forKey: id) } else { entries.removeValue(forKey: id) }
        begun += (entry?.isBegun ?? false ? 1 : 0) - (before?.isBegun ?? false ? 1 : 0)
        if entries.isEmpty { oldest = nil } else if oldest == nil { oldest = now }
    }
}

extension WriteBehind.Entry {
    fileprivate var isBegun: Bool {
        stored.state.isWaiting && !record.state.isWaiting
    }
}

extension TransferState {
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
