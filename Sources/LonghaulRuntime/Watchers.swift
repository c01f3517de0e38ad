import LonghaulCore

/// Names one watch of a session.
package struct WatchToken: Hashable, Sendable {
    package var number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// Who watches which transfers. Changes are gathered and told about ten times a second, latest values only; who named
/// transfers hears at once when the last of them has ended.
struct Watchers {
    private struct Watcher {
        var selection: TransferSelection
        var isBrief: Bool
        /// Those that were named.
        var ids: Set<TransferID>
        /// How many of them have not ended.
        var left: Int
        var observer: @Sendable (WatchUpdate) -> Void
        /// The number of the newest change that was told.
        var told: UInt64 = 0

        func wants(_ id: TransferID, group: String?) -> Bool {
            switch selection {
            case .all: true
            case .ids: ids.contains(id)
            case .group(let name): group == name
            }
        }
    }

    private static let interval = Span.milliseconds(100)

    private var watchers: [WatchToken: Watcher] = [:]
    /// Who named one transfer alone, by that transfer, and who named several: an app may have a watch for each of thousands.
    private var watchersOfOne: [TransferID: Set<WatchToken>] = [:]
    private var watchersOfSome: Set<WatchToken> = []
    /// How many want to see what runs.
    private var watchersInFull = 0
    /// Who has nothing left to wait for since the last telling.
    private var finished: Set<WatchToken> = []
    /// Changed since the last telling.
    private var changed: [TransferID: WatchNews] = [:]
    private var newest: UInt64 = 0
    private var toldAt: WallTime?

    var isEmpty: Bool { watchers.isEmpty }

    /// What makes the same watches in another loop.
    var inputs: [LoopInput] {
        watchers.map { token, watcher in
            .watch(token, watcher.selection, WatchDetail(isBrief: watcher.isBrief), observer: watcher.observer)
        }
    }

    /// Transfers that somebody watches alone.
    var watchedAlone: some Collection<TransferID> { watchersOfOne.keys }

    /// `left` counts those of the named transfers that have not ended.
    mutating func add(
        _ token: WatchToken, _ selection: TransferSelection, isBrief: Bool, left: Int,
        _ observer: @escaping @Sendable (WatchUpdate) -> Void
    ) {
        remove(token)
        var ids: Set<TransferID> = []
        if case .ids(let named) = selection { ids = Set(named) }
        // What was noted before has been told by the first answer.
        watchers[token] = Watcher(
            selection: selection, isBrief: isBrief, ids: ids, left: left, observer: observer, told: newest)
        if !isBrief { watchersInFull += 1 }
        if ids.count > 1 {
            watchersOfSome.insert(token)
        } else if let id = ids.first {
            watchersOfOne[id, default: []].insert(token)
        }
    }

    mutating func remove(_ token: WatchToken) {
        guard let watcher = watchers.removeValue(forKey: token) else { return }
        watchersOfSome.remove(token)
        if !watcher.isBrief { watchersInFull -= 1 }
        finished.remove(token)
        if watcher.ids.count == 1, let id = watcher.ids.first {
            watchersOfOne[id]?.remove(token)
            if watchersOfOne[id]?.isEmpty ?? false { watchersOfOne[id] = nil }
        }
        if watchers.isEmpty { changed = [:] }
    }

    /// A transfer became this; `nil` when it is gone. `isLive` and `wasLive` tell whether it has not ended.
    mutating func note(_ id: TransferID, _ record: TransferRecord?, group: String?, wasLive: Bool) {
        guard !watchers.isEmpty else { return }
        newest += 1
        changed[id] = WatchNews(id, record, group: group, number: newest)
        let isLive = record.map { !$0.state.isEnded } ?? false
        guard isLive != wasLive else { return }
        for token in watchersOfOne[id] ?? [] { count(isLive ? 1 : -1, for: token) }
        for token in watchersOfSome where watchers[token]?.ids.contains(id) ?? false {
            count(isLive ? 1 : -1, for: token)
        }
    }

    private mutating func count(_ difference: Int, for token: WatchToken) {
        watchers[token]?.left += difference
        if watchers[token]?.left == 0 { finished.insert(token) } else { finished.remove(token) }
    }

    /// When the watchers should be told again.
    func nextTick(isMoving: Bool, at now: WallTime) -> WallTime? {
        guard !watchers.isEmpty, isMoving && watchersInFull > 0 || !changed.isEmpty else { return nil }
        // A clock that was set back must not silence the watchers.
        return min(toldAt ?? now, now) + Self.interval
    }

    /// Tells the watchers, if the last telling is long enough ago. `running` are looked at even if nothing was noted.
    mutating func tick(
        at now: WallTime, running: () -> [TransferID],
        snapshot: (TransferID, TransferRecord?) -> TransferSnapshot?
    ) {
        guard !watchers.isEmpty else { return }
        tellFinished(snapshot)
        // A clock that was set back must not silence the watchers.
        if let toldAt, now - toldAt < Self.interval, now >= toldAt { return }
        toldAt = now
        var news = Array(changed.values)
        if watchersInFull > 0 {
            for id in running() where changed[id] == nil {
                if let value = snapshot(id, nil) { news.append(WatchNews(ofRunning: value)) }
            }
        }
        changed = [:]
        tell(news, to: watchers.keys, snapshot)
    }

    /// Looks at no more than was named, or has changed.
    private mutating func tellFinished(_ snapshot: (TransferID, TransferRecord?) -> TransferSnapshot?) {
        guard !finished.isEmpty else { return }
        for token in finished {
            guard let ids = watchers[token]?.ids else { continue }
            let news =
                ids.count < changed.count
                ? ids.compactMap { changed[$0] } : changed.values.filter { ids.contains($0.id) }
            tell(news, to: CollectionOfOne(token), snapshot)
            watchers[token]?.told = newest
        }
        if finished.count == watchers.count { changed = [:] }
        finished = []
    }

    private func tell(
        _ news: [WatchNews], to tokens: some Sequence<WatchToken>,
        _ snapshot: (TransferID, TransferRecord?) -> TransferSnapshot?
    ) {
        guard !news.isEmpty else { return }
        let news = news.sorted { $0.sequence < $1.sequence }
        for token in tokens {
            guard let watcher = watchers[token] else { continue }
            var update = WatchUpdate(changed: [], removed: [])
            for piece in news
            where piece.number > watcher.told && watcher.wants(piece.id, group: piece.group)
                && !(watcher.isBrief && piece.isProgress)
            {
                piece.add(to: &update, inBrief: watcher.isBrief, snapshot)
            }
            if update.count > 0 { watcher.observer(update) }
        }
    }
}
