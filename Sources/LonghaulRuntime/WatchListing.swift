import LonghaulCore

/// The part not sent yet of the transfers selected when a watch began. Each page shows the state at its time; later changes are sent as
/// changes.
enum WatchListing: Hashable {
    /// The named transfers from this one on. With `omitsQueued`, one example of those that only wait for their turn is enough.
    case named(from: Int, hasExample: Bool)
    /// Unended transfers come first: a watcher that finds none in its first update knows that none exist.
    case live(after: Int64)
    /// Only the unended transfers.
    case liveAlone(after: Int64)
    case ended(after: Int64)

    /// Returns the next page of about `limit` transfers, and the rest after it.
    func page(
        of selection: TransferSelection, _ detail: WatchDetail, limit: Int, _ view: WatchView
    ) throws(TransferFailure) -> (WatchUpdate, WatchListing?) {
        var (update, next) = try portion(of: selection, detail, limit: limit, view)
        update.beginsList = isBeginning
        update.completesList = next == nil
        return (update, next)
    }

    /// Whether nothing of it was sent yet.
    private var isBeginning: Bool {
        [.named(from: 0, hasExample: false), .live(after: 0), .liveAlone(after: 0)].contains(self)
    }

    private func portion(
        of selection: TransferSelection, _ detail: WatchDetail, limit: Int, _ view: WatchView
    ) throws(TransferFailure) -> (WatchUpdate, WatchListing?) {
        switch self {
        case .named(let first, let hasExample):
            guard case .ids(let ids) = selection else { preconditionFailure("only names are listed as named") }
            return try Self.named(ids, from: first, hasExample, detail, limit: limit, view)
        case .live(let sequence):
            var (update, last) = try Self.stored(selection, ended: false, after: sequence, limit: limit, view)
            if let last { return (update, .live(after: last)) }
            guard update.count < limit else { return (update, .ended(after: 0)) }
            let rest = try Self.stored(selection, ended: true, after: 0, limit: limit - update.count, view)
            update.changed += rest.update.changed
            return (update, rest.last.map { .ended(after: $0) })
        case .liveAlone(let sequence):
            let (update, last) = try Self.stored(selection, ended: false, after: sequence, limit: limit, view)
            return (update, last.map { .liveAlone(after: $0) })
        case .ended(let sequence):
            let (update, last) = try Self.stored(selection, ended: true, after: sequence, limit: limit, view)
            return (update, last.map { .ended(after: $0) })
        }
    }

    /// `last` is the sequence number of the last one if others follow.
    private static func stored(
        _ selection: TransferSelection, ended: Bool, after sequence: Int64, limit: Int, _ view: WatchView
    ) throws(TransferFailure) -> (update: WatchUpdate, last: Int64?) {
        var query = ListQuery(selection: selection, ended: ended, limit: limit)
        query.afterSequence = sequence
        let page = try view.page(query)
        let update = WatchUpdate(changed: page.records.map(view.snapshot), removed: [])
        return (update, page.hasMore ? page.records.last?.sequence ?? 0 : nil)
    }

    private static func named(
        _ ids: [TransferID], from first: Int, _ hadExample: Bool, _ detail: WatchDetail, limit: Int, _ view: WatchView
    ) throws(TransferFailure) -> (WatchUpdate, WatchListing?) {
        var update = WatchUpdate(changed: [], removed: [])
        var (next, hasExample) = (first, hadExample)
        while next < ids.count, update.count < limit {
            let id = ids[next]
            next += 1
            // Known without access to the disk.
            if detail.omitsQueued, view.isQueued(id) {
                if hasExample { continue }
                hasExample = true
            }
            guard let record = try view.record(id) else {
                update.removed.append(id)
                continue
            }
            if detail.isBrief, let success = record.success {
                update.succeeded.append(success)
            } else {
                update.changed.append(view.snapshot(record))
            }
        }
        return (update, next == ids.count ? nil : .named(from: next, hasExample: hasExample))
    }
}
