/// Updates that a watcher has not read yet: the newest snapshot of each transfer, in the order in which they first
/// changed. However slow the watcher is, the buffer holds one entry for each transfer.
package struct WatchBuffer: Sendable {
    private enum Change: Sendable {
        case changed(TransferSnapshot)
        case succeeded(path: String?)
        case removed
    }

    private var news: [TransferID: Change] = [:]
    private var order: [TransferID] = []
    private var next = 0
    /// Whether the first update is due even if it is empty: then no transfer is selected.
    private var owesEmptyUpdate = false
    private var hasBegun = false
    /// Whether the next update starts the list again.
    private var owesBeginning = false
    /// Whether the update that empties the buffer completes the list.
    private var owesCompletion = false

    package init() {}

    package var isEmpty: Bool { news.isEmpty && !owesEmptyUpdate && !owesBeginning && !owesCompletion }

    package mutating func merge(_ update: WatchUpdate) {
        if !hasBegun {
            hasBegun = true
            owesEmptyUpdate = true
        }
        if update.beginsList { beginAnew() }
        for snapshot in update.changed { put(.changed(snapshot), for: snapshot.id) }
        for success in update.succeeded { put(.succeeded(path: success.path), for: success.id) }
        for id in update.removed { put(.removed, for: id) }
        if update.completesList { owesCompletion = true }
    }

    /// Returns the changes of at most `limit` transfers; `nil` if nothing changed.
    package mutating func removeNext(limit: Int = .max) -> WatchUpdate? {
        guard !isEmpty else { return nil }
        owesEmptyUpdate = false
        var update = WatchUpdate(changed: [], removed: [], beginsList: owesBeginning)
        owesBeginning = false
        let count = min(limit, order.count - next)
        for id in order[next..<(next + count)] {
            guard let entry = news.removeValue(forKey: id) else {
                preconditionFailure("\(id) is listed without an update")
            }
            switch entry {
            case .changed(let snapshot): update.changed.append(snapshot)
            case .succeeded(let path): update.succeeded.append(WatchUpdate.Success(id: id, path: path))
            case .removed: update.removed.append(id)
            }
        }
        next += count
        if next == order.count {
            order.removeAll()
            next = 0
            update.completesList = owesCompletion
            owesCompletion = false
        }
        return update
    }

    /// Discards unread changes: the list reports the transfers again, unless they are gone.
    private mutating func beginAnew() {
        news.removeAll()
        order.removeAll()
        next = 0
        owesBeginning = true
        owesCompletion = false
    }

    private mutating func put(_ entry: Change, for id: TransferID) {
        if news.updateValue(entry, forKey: id) == nil { order.append(id) }
    }
}
