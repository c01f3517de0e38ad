import LonghaulCore
import LonghaulStore

/// What is ahead of the disk: records that are written later, and actions that begin before their turn's commit.
///
/// The rules:
/// 1. A record may lag where a crash that leaves the earlier one leads to the same (`TransferRecord.mayLag`). It is acted upon at once,
///    and clients are told of it.
/// 2. It is written with the transfer's next change that must not lag, so that a short transfer costs fewer rows and commits; else
///    after a second, when a thousand lag, or when somebody reads the disk.
/// 3. An attempt begins before the commit of the turn that grants it when nothing else has happened to its transfer in that turn: its
///    record lags, so that it is neither part of the commit nor undone with it. One that needs a credential waits, since this
///    turn may have brought it.
/// 4. When a commit fails, what lagged before the turn lags again; what has begun goes on.
struct WriteBehind {
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

    /// What the engine can do decides what may lag.
    var traits = EngineTraits.ofProcess
    private var entries: [TransferID: Entry] = [:]
    private var oldest: WallTime?
    /// What lagged before this turn, of the transfers whose lag it has changed.
    private var earlier: [TransferID: Entry?] = [:]
    /// What is to begin before the turn's commit.
    private var early: [(TransferID, TransferAction)] = []
    /// How many are recorded as waiting and are not any more.
    private(set) var begun = 0

    subscript(id: TransferID) -> Entry? { entries[id] }

    var ids: [TransferID] { entries.keys.sorted() }

    /// The turn has been committed.
    mutating func settle() {
        // A table that would grow again in each turn is only emptied.
        earlier.removeAll(keepingCapacity: earlier.count <= Self.room)
    }

    /// Takes in what became of a transfer. Answers what has to be written in this turn; `nil` when it may lag.
    mutating func note(_ record: TransferRecord, since before: TransferRecord, at now: WallTime) -> Entry? {
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

    /// Adds a line to the history of a transfer: words for people, which may lag and which a crash may lose.
    mutating func tell(_ event: String, _ detail: String, of record: TransferRecord, at now: WallTime) {
        let lag = entries[record.id]
        let row = Store.HistoryRow(at: now, event: event, detail: detail, bytesDone: record.facts.bytesDone)
        let entry = Entry(
            stored: lag?.stored ?? record, record: lag?.record ?? record, lines: (lag?.lines ?? []) + [row])
        set(record.id, entry, at: now)
    }

    /// It has been written, inside the turn's transaction, or its transfer is gone.
    mutating func noteWritten(_ id: TransferID, at now: WallTime) {
        if entries[id] != nil { set(id, nil, at: now) }
    }

    /// Lets actions begin before the commit, if the transfer's record allows that. Nothing else may have happened to it in this turn.
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

    /// The turn is not committed.
    mutating func undo(at now: WallTime) {
        for (id, entry) in earlier { put(id, entry, at: now) }
        earlier = [:]
    }

    /// When what lags is to be written; `nil` when nothing does.
    var dueAt: WallTime? { oldest.map { $0 + Self.patience } }

    func isDue(at now: WallTime) -> Bool {
        guard let oldest else { return false }
        // A clock that was set back must not keep anything from the disk.
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
