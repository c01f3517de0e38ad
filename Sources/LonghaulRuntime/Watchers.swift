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

    private struct Change {
        /// `nil` for a removed transfer.
        var record: TransferRecord?
        var group: String?
        var number: UInt64
    }

    private static let interval = Span.milliseconds(100)

    private var watchers: [WatchToken: Watcher] = [:]
    /// Who named one transfer alone, by that transfer, and who named several: an app may have a watch for each of thousands.
    private var watchersOfOne: [TransferID: Set<WatchToken>] = [:]
    private var watchersOfSome: Set<WatchToken> = []
    /// Who has nothing left to wait for since the last telling.
    private var finished: Set<WatchToken> = []
    /// Changed since the last telling.
    private var changed: [TransferID: Change] = [:]
    private var newest: UInt64 = 0
    private var toldAt: WallTime?

    var isEmpty: Bool { watchers.isEmpty }

    /// `left` counts those of the named transfers that have not ended.
    mutating func add(
        _ token: WatchToken, _ selection: TransferSelection, left: Int,
        _ observer: @escaping @Sendable (WatchUpdate) -> Void
    ) {
        remove(token)
        var ids: Set<TransferID> = []
        if case .ids(let named) = selection { ids = Set(named) }
        // What was noted before has been told by the first answer.
        watchers[token] = Watcher(selection: selection, ids: ids, left: left, observer: observer, told: newest)
        if ids.count > 1 {
            watchersOfSome.insert(token)
        } else if let id = ids.first {
            watchersOfOne[id, default: []].insert(token)
        }
    }

    mutating func remove(_ token: WatchToken) {
        guard let watcher = watchers.removeValue(forKey: token) else { return }
        watchersOfSome.remove(token)
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
        changed[id] = Change(record: record, group: group, number: newest)
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
        guard !watchers.isEmpty, isMoving || !changed.isEmpty else { return nil }
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
        var news = News()
        for (id, change) in changed { news.add(id, change, snapshot) }
        for id in running() where changed[id] == nil {
            if let value = snapshot(id, nil) { news.changed.append((value, .max)) }
        }
        changed = [:]
        guard !news.isEmpty else { return }
        news.sort()
        for watcher in watchers.values {
            let update = news.update { $2 > watcher.told && watcher.wants($0, group: $1) }
            if let update { watcher.observer(update) }
        }
    }

    /// Looks at no more than was named, or has changed.
    private mutating func tellFinished(_ snapshot: (TransferID, TransferRecord?) -> TransferSnapshot?) {
        guard !finished.isEmpty else { return }
        for token in finished {
            guard let watcher = watchers[token] else { continue }
            var news = News()
            if watcher.ids.count < changed.count {
                for id in watcher.ids { if let change = changed[id] { news.add(id, change, snapshot) } }
            } else {
                for (id, change) in changed where watcher.ids.contains(id) { news.add(id, change, snapshot) }
            }
            news.sort()
            watchers[token]?.told = newest
            if let update = news.update(where: { $2 > watcher.told }) { watcher.observer(update) }
        }
        if finished.count == watchers.count { changed = [:] }
        finished = []
    }

    /// What there is to tell, each with the number of its change.
    private struct News {
        var changed: [(value: TransferSnapshot, number: UInt64)] = []
        private var removed: [(id: TransferID, group: String?, number: UInt64)] = []

        var isEmpty: Bool { changed.isEmpty && removed.isEmpty }

        mutating func add(
            _ id: TransferID, _ change: Change, _ snapshot: (TransferID, TransferRecord?) -> TransferSnapshot?
        ) {
            if let record = change.record, let value = snapshot(id, record) {
                changed.append((value, change.number))
            } else {
                removed.append((id, change.group, change.number))
            }
        }

        mutating func sort() {
            changed.sort { $0.value.sequence < $1.value.sequence }
        }

        /// What is wanted of it; `nil` when that is nothing.
        func update(where isWanted: (TransferID, _ group: String?, _ number: UInt64) -> Bool) -> WatchUpdate? {
            var update = WatchUpdate(changed: [], removed: [])
            for (value, number) in changed where isWanted(value.id, value.group, number) {
                update.changed.append(value)
            }
            for (id, group, number) in removed where isWanted(id, group, number) { update.removed.append(id) }
            return update.changed.isEmpty && update.removed.isEmpty ? nil : update
        }
    }
}
