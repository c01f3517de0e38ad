import LonghaulCore

/// Names one watch of a session.
package struct WatchToken: Hashable, Sendable {
    package var number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// Who watches which transfers. Changes are gathered and told about ten times a second, latest values only.
struct Watchers {
    private struct Watcher {
        var selection: TransferSelection
        var ids: Set<TransferID>
        var observer: @Sendable (WatchUpdate) -> Void

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
    private struct Change {
        /// `nil` for a removed transfer.
        var record: TransferRecord?
        var group: String?
    }

    /// Changed since the last telling.
    private var changed: [TransferID: Change] = [:]
    private var toldAt: WallTime?

    var isEmpty: Bool { watchers.isEmpty }

    mutating func add(
        _ token: WatchToken, _ selection: TransferSelection, _ observer: @escaping @Sendable (WatchUpdate) -> Void
    ) {
        var ids: Set<TransferID> = []
        if case .ids(let named) = selection { ids = Set(named) }
        watchers[token] = Watcher(selection: selection, ids: ids, observer: observer)
    }

    mutating func remove(_ token: WatchToken) {
        watchers[token] = nil
        if watchers.isEmpty { changed = [:] }
    }

    mutating func note(_ id: TransferID, _ record: TransferRecord?, group: String?) {
        guard !watchers.isEmpty else { return }
        changed[id] = Change(record: record, group: group)
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
        // A clock that was set back must not silence the watchers.
        if let toldAt, now - toldAt < Self.interval, now >= toldAt { return }
        toldAt = now
        var removed: [(id: TransferID, group: String?)] = []
        var snapshots: [TransferSnapshot] = []
        for (id, change) in changed {
            if let record = change.record, let value = snapshot(id, record) {
                snapshots.append(value)
            } else {
                removed.append((id, change.group))
            }
        }
        for id in running() where changed[id] == nil {
            if let value = snapshot(id, nil) { snapshots.append(value) }
        }
        changed = [:]
        guard !snapshots.isEmpty || !removed.isEmpty else { return }
        snapshots.sort { $0.sequence < $1.sequence }
        for watcher in watchers.values {
            let wanted = snapshots.filter { watcher.wants($0.id, group: $0.group) }
            let gone = removed.filter { watcher.wants($0.id, group: $0.group) }.map(\.id)
            if !wanted.isEmpty || !gone.isEmpty { watcher.observer(WatchUpdate(changed: wanted, removed: gone)) }
        }
    }
}
