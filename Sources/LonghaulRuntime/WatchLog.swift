import LonghaulCore

/// Changes that not every watcher has received yet: the latest change of each transfer, in order. All watchers share the log, and each
/// has its position; a watcher that does not read costs no extra memory.
struct WatchLog {
    /// The latest change of a transfer. A class, because two tables refer to it.
    final class Change {
        let id: TransferID
        fileprivate(set) var number: UInt64 = 0
        /// Order of submission; deleted transfers come first.
        fileprivate(set) var sequence: Int64 = 0
        fileprivate(set) var group: String?
        /// Its former groups, since the oldest change that a watcher has not received.
        fileprivate(set) var formerGroups: [String] = []
        fileprivate(set) var isGone = false
        /// The changed transfer, made once for all watchers; `nil` if it must be read again.
        fileprivate(set) var news: WatchChange?

        init(_ id: TransferID) {
            self.id = id
        }
    }

    /// A change as it was noted. It is skipped if its transfer has changed again.
    private struct Entry {
        let number: UInt64
        let change: Change

        var isLatest: Bool { change.number == number }
    }

    /// The number of the newest change.
    private(set) var newest: UInt64 = 0
    private var changes: [TransferID: Change] = [:]
    private var order: [Entry] = []
    /// The newest change at the last delivery to all watchers.
    private var told: UInt64 = 0
    /// The newest change whose values are no longer kept.
    private var forgotten: UInt64 = 0

    /// Whether anything changed since the last delivery to all watchers.
    var isFresh: Bool { newest > told }
    /// Transfers with kept changes.
    var count: Int { changes.count }

    mutating func record(_ id: TransferID, _ record: TransferRecord?, group: String?, before: String?) {
        newest += 1
        let change = latestChange(of: id)
        if let before, before != group, !change.formerGroups.contains(before) { change.formerGroups.append(before) }
        if !change.formerGroups.isEmpty { change.formerGroups.removeAll { $0 == group } }
        change.number = newest
        change.sequence = record?.sequence ?? 0
        change.group = group
        change.isGone = record == nil
        change.news = WatchChange(id, record, sequence: change.sequence)
        order.append(Entry(number: newest, change: change))
    }

    /// Calls `body` for each change after that number, until it returns `false`.
    func forEach(after told: UInt64, _ body: (Change) -> Bool) {
        for entry in order[index(after: told)...] where entry.isLatest {
            guard body(entry.change) else { return }
        }
    }

    /// Drops changes that every watcher has received, and bounds the rest.
    mutating func prune(toldToAll told: UInt64, keepingNewsOf count: Int) {
        let kept = index(after: told)
        for entry in order[..<kept] where entry.isLatest { changes[entry.change.id] = nil }
        order.removeFirst(kept)
        if order.count > 2 * changes.count + Self.slack { order.removeAll { !$0.isLatest } }
        forgetNews(before: count)
        self.told = newest
    }

    /// Drops the values of all but the latest `count` changes; watchers read them again on demand.
    private mutating func forgetNews(before count: Int) {
        let end = order.count - count
        let begin = index(after: forgotten)
        guard begin < end else { return }
        for entry in order[begin..<end] where entry.isLatest { entry.change.news = nil }
        forgotten = order[end - 1].number
    }

    /// Returns the number of the change before the latest `count` ones.
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
