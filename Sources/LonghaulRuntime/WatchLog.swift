import LonghaulCore

/// What has changed and was not told to every watcher yet: of each transfer the latest change, in the order in which they
/// happened. All watchers share it, each knows how far it was told; so one that does not read costs no memory of its own.
struct WatchLog {
    /// The latest change of a transfer. An object: it is found by its transfer and by its place in the order.
    final class Change {
        let id: TransferID
        fileprivate(set) var number: UInt64 = 0
        /// Order of submission; what is gone comes first.
        fileprivate(set) var sequence: Int64 = 0
        fileprivate(set) var group: String?
        /// The groups in which it was before, since the oldest change that somebody is still to be told.
        fileprivate(set) var formerGroups: [String] = []
        fileprivate(set) var isGone = false
        /// What the transfer became, made once for all watchers; `nil` when it has to be read again.
        fileprivate(set) var news: WatchNews?

        init(_ id: TransferID) {
            self.id = id
        }
    }

    /// A change as it was noted. If its transfer has changed again since, it is passed over.
    private struct Entry {
        let number: UInt64
        let change: Change

        var isLatest: Bool { change.number == number }
    }

    /// The number of the newest change.
    private(set) var newest: UInt64 = 0
    private var changes: [TransferID: Change] = [:]
    private var order: [Entry] = []
    /// The newest change when all were told last.
    private var told: UInt64 = 0
    /// The newest change whose news are not kept any more.
    private var forgotten: UInt64 = 0

    /// Whether something was noted since all were told.
    var isFresh: Bool { newest > told }
    /// Of how many transfers changes are kept.
    var count: Int { changes.count }

    mutating func note(_ id: TransferID, _ record: TransferRecord?, group: String?, before: String?) {
        newest += 1
        let change = latestChange(of: id)
        if let before, before != group, !change.formerGroups.contains(before) { change.formerGroups.append(before) }
        if !change.formerGroups.isEmpty { change.formerGroups.removeAll { $0 == group } }
        change.number = newest
        change.sequence = record?.sequence ?? 0
        change.group = group
        change.isGone = record == nil
        change.news = WatchNews(id, record, sequence: change.sequence)
        order.append(Entry(number: newest, change: change))
    }

    /// Calls `body` for each change after the one with that number, until it answers `false`.
    func forEach(after told: UInt64, _ body: (Change) -> Bool) {
        for entry in order[index(after: told)...] where entry.isLatest {
            guard body(entry.change) else { return }
        }
    }

    /// What everybody was told goes, and what is still to be told to somebody is kept short.
    mutating func settle(toldToAll told: UInt64, keepingNewsOf count: Int) {
        let kept = index(after: told)
        for entry in order[..<kept] where entry.isLatest { changes[entry.change.id] = nil }
        order.removeFirst(kept)
        if order.count > 2 * changes.count + Self.slack { order.removeAll { !$0.isLatest } }
        forgetNews(before: count)
        self.told = newest
    }

    /// News of changes before the latest `count` ones are read again when somebody wants them.
    private mutating func forgetNews(before count: Int) {
        let end = order.count - count
        let begin = index(after: forgotten)
        guard begin < end else { return }
        for entry in order[begin..<end] where entry.isLatest { entry.change.news = nil }
        forgotten = order[end - 1].number
    }

    /// The change before the latest `count` ones.
    func number(before count: Int) -> UInt64 {
        order.count > count ? order[order.count - count - 1].number : 0
    }

    mutating func removeAll() {
        changes = [:]
        order = []
        told = newest
    }

    private static let slack = 1_024

    private mutating func latestChange(of id: TransferID) -> Change {
        if let known = changes[id] { return known }
        let change = Change(id)
        changes[id] = change
        return change
    }

    private func index(after number: UInt64) -> Int {
        order.partitioningIndex { $0.number > number }
    }
}
