import LonghaulCore

/// What is still to be told of what was selected when a watch began. Each portion shows the state of its moment; what
/// changes after that is told as a change.
enum WatchListing: Hashable {
    /// Those that were named, from this one on. Of those that only wait for their turn one may be enough.
    case named(from: Int, hasExample: Bool)
    /// What has not ended comes first: a watcher that sees nothing of the kind in its first update knows that there is none.
    case live(after: Int64)
    /// The same, and nothing after it.
    case liveAlone(after: Int64)
    case ended(after: Int64)

    /// The next portion, of about so many transfers, and what is left after it.
    func page(
        of selection: TransferSelection, _ detail: WatchDetail, limit: Int, _ view: WatchView
    ) throws(TransferFailure) -> (WatchUpdate, WatchListing?) {
        var (update, next) = try portion(of: selection, detail, limit: limit, view)
        update.beginsList = isBeginning
        update.completesList = next == nil
        return (update, next)
    }

    /// Whether nothing of it was told yet.
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

    /// `last` is the last one's place if others come after it.
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
            // Known without a look at the disk.
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
