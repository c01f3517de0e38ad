import LonghaulCore

/// What has changed and was not told to every watcher yet: of each transfer the latest change, in the order in which they
/// happened. All watchers share it, each knows how far it was told; so one that does not read costs no memory of its own.
struct WatchLog {
    struct Change {
        var number: UInt64
        /// Order of submission; what is gone comes first.
        var sequence: Int64
        var group: String?
        /// The groups in which it was before, since the oldest change that somebody is still to be told.
        var formerGroups: [String] = []
        var isGone: Bool
    }

    /// The number of the newest change.
    private(set) var newest: UInt64 = 0
    private var changes: [TransferID: Change] = [:]
    /// One entry for each change. One whose number is not its transfer's latest is passed over.
    private var order: [(number: UInt64, id: TransferID)] = []
    /// What the transfers of the latest changes became; those of earlier ones are read again when somebody wants them.
    private var fresh: [TransferID: WatchNews] = [:]
    private var ageing: [TransferID: WatchNews] = [:]

    /// Whether something was noted since all were told twice: a tick is still to come then.
    var isFresh: Bool { !fresh.isEmpty || !ageing.isEmpty }
    /// Of how many transfers changes are kept.
    var count: Int { changes.count }

    mutating func note(_ id: TransferID, _ record: TransferRecord?, group: String?, before: String?) {
        newest += 1
        var formerGroups = changes[id]?.formerGroups ?? []
        if let before, before != group, !formerGroups.contains(before) { formerGroups.append(before) }
        if !formerGroups.isEmpty { formerGroups.removeAll { $0 == group } }
        let news = WatchNews(id, record, sequence: record?.sequence ?? 0)
        changes[id] = Change(
            number: newest, sequence: news.sequence, group: group, formerGroups: formerGroups, isGone: record == nil)
        order.append((newest, id))
        fresh[id] = news
        ageing[id] = nil
    }

    /// Calls `body` for each change after the one with that number, until it answers `false`.
    func forEach(after told: UInt64, _ body: (TransferID, Change) -> Bool) {
        for entry in order[index(after: told)...] {
            guard let change = changes[entry.id], change.number == entry.number else { continue }
            guard body(entry.id, change) else { return }
        }
    }

    /// What became of a transfer, made once for all watchers; `nil` when it has to be read again.
    func news(of id: TransferID) -> WatchNews? { fresh[id] ?? ageing[id] }

    /// What everybody was told goes, and what is still to be told to somebody is kept short.
    mutating func settle(toldToAll told: UInt64) {
        let kept = index(after: told)
        for entry in order[..<kept] where changes[entry.id]?.number == entry.number { changes[entry.id] = nil }
        order.removeFirst(kept)
        if order.count > 2 * changes.count + Self.slack {
            order.removeAll { changes[$0.id]?.number != $0.number }
        }
        ageing = fresh
        fresh = [:]
        if order.isEmpty { ageing = [:] }
    }

    /// The change before the latest `count` ones.
    func number(before count: Int) -> UInt64 {
        order.count > count ? order[order.count - count - 1].number : 0
    }

    mutating func removeAll() {
        changes = [:]
        order = []
        fresh = [:]
        ageing = [:]
    }

    private static let slack = 1_024

    private func index(after number: UInt64) -> Int {
        order.partitioningIndex { $0.number > number }
    }
}
