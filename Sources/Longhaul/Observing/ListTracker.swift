import LonghaulCore

/// Turns the updates of a watch into changes of a list. If a list is reported again, only the difference to the earlier list is returned.
struct ListTracker: Sendable {
    private let query: TransferQuery
    private var known: [TransferID: TransferSnapshot] = [:]
    /// The transfers reported so far of a list that is not complete; `nil` if it is complete.
    private var told: Set<TransferID>? = []
    private var hasGivenList = false

    init(_ query: TransferQuery) {
        self.query = query
    }

    /// Processes an update; `nil` if nothing changes.
    mutating func apply(_ update: WatchUpdate) -> TransferListChange? {
        if update.beginsList { told = [] }
        var change = TransferListChange()
        var gone: [TransferSnapshot] = []
        for snapshot in update.changed {
            told?.insert(snapshot.id)
            let before = known[snapshot.id]
            if query.matches(snapshot) {
                known[snapshot.id] = snapshot
                if before == nil {
                    change.inserted.append(snapshot)
                } else if before != snapshot {
                    change.updated.append(snapshot)
                }
            } else if let before {
                known[snapshot.id] = nil
                gone.append(before)
            }
        }
        gone += update.removed.compactMap { known.removeValue(forKey: $0) }
        if update.completesList, let told {
            gone += known.keys.filter { !told.contains($0) }.compactMap { known.removeValue(forKey: $0) }
            self.told = nil
        }
        guard hasGivenList else { return update.completesList ? initial() : nil }
        change.removed = gone.sorted { $0.sequence < $1.sequence }.map(\.id)
        change.inserted.sort { $0.sequence < $1.sequence }
        change.updated.sort { $0.sequence < $1.sequence }
        return change.isEmpty ? nil : change
    }

    private mutating func initial() -> TransferListChange {
        hasGivenList = true
        var change = TransferListChange()
        change.isInitial = true
        change.inserted = known.values.sorted { $0.sequence < $1.sequence }
        return change
    }
}
