import LonghaulCore
import LonghaulStore

/// What watchers are told after each turn: lists in portions, then changes.
extension SessionLoop {
    /// Transfers in one update for whoever is told all at once.
    private static let pushedPage = 1_000
    /// Transfers in one update for whoever asks.
    private static let pulledPage = 256
    /// About how many transfers are looked at in one turn: other commands must not wait for what somebody watches.
    private static let lookedAtInTurn = 1_000

    func tellWatchers() {
        guard !isDead else { return }
        noteHolds()
        guard !watchers.isEmpty || !pulls.isEmpty else { return }
        tellLists()
        let view = WatchView(snapshot: { [self] in liveSnapshot($0, $1) }) {
            [self] id throws(TransferFailure) in try transfer(id)?.record
        }
        watchers.tell(at: now, running: { runningIDs }, view)
        answerPulls(view)
    }

    /// Tells the whole list to those who are told all at once. What cannot be read now is told later.
    private func tellLists() {
        for token in watchers.unlisted {
            guard case .each(let observer) = watchers[token]?.observer else { continue }
            while let page = try? nextPage(for: token, limit: Self.pushedPage) { observer(page) }
        }
    }

    private func answerPulls(_ view: WatchView) {
        guard !pulls.isEmpty else { return }
        let asked = pulls
        pulls = []
        let enough = watchers.copies.made + Self.lookedAtInTurn
        for (token, reply) in asked {
            guard watchers.copies.made < enough else {
                pulls.append((token, reply))
                continue
            }
            watchers.noteAsked(token)
            let update =
                watchers[token]?.listing != nil
                ? try? nextPage(for: token, limit: Self.pulledPage)
                : watchers.news(for: token, limit: Self.pulledPage, view)
            reply(update)
            guard watchers.hasNews(token) else { continue }
            // What cannot be read now is told later.
            if update == nil { watchers.tickSoon() } else { watchers.signal(token) }
        }
    }

    /// A watcher that is not told any more would wait for ever.
    func refusePulls() {
        let refused = pulls
        pulls = []
        for (_, reply) in refused { reply(nil) }
    }

    /// The next portion of what was selected when the watch began; `nil` when all of that has been told.
    private func nextPage(for token: WatchToken, limit: Int) throws(TransferFailure) -> WatchUpdate? {
        guard let watcher = watchers[token], let listing = watcher.listing else { return nil }
        let (update, next) = try watchers.copies.page(
            of: watcher, listing, newest: watchers.log.newest, limit: limit
        ) { () throws(TransferFailure) in
            var (update, next) = try page(of: watcher, listing, limit: limit)
            update.beginsList = listing.isBeginning
            return (update, next)
        }
        watchers.advance(token, to: next)
        return update
    }

    private func page(
        of watcher: Watchers.Watcher, _ listing: WatchListing, limit: Int
    ) throws(TransferFailure) -> (WatchUpdate, WatchListing?) {
        switch listing {
        case .named(let first, let hasExample):
            guard case .ids(let ids) = watcher.selection else { preconditionFailure("only names are listed as named") }
            return try named(ids, from: first, hasExample, watcher.detail, limit: limit)
        case .live(let sequence):
            let page = try stored(watcher.selection, ended: false, after: sequence, limit: limit)
            if page.hasMore { return (WatchListing.update(page.snapshots), .live(after: page.last)) }
            guard page.snapshots.count < limit else { return (WatchListing.update(page.snapshots), .ended(after: 0)) }
            let rest = try stored(watcher.selection, ended: true, after: 0, limit: limit - page.snapshots.count)
            return WatchListing.ending(page.snapshots + rest.snapshots, rest)
        case .liveAlone(let sequence):
            let page = try stored(watcher.selection, ended: false, after: sequence, limit: limit)
            return WatchListing.last(page.snapshots, page.hasMore ? .liveAlone(after: page.last) : nil)
        case .ended(let sequence):
            let page = try stored(watcher.selection, ended: true, after: sequence, limit: limit)
            return WatchListing.ending(page.snapshots, page)
        }
    }

    private func stored(
        _ selection: TransferSelection, ended: Bool, after sequence: Int64, limit: Int
    ) throws(TransferFailure) -> WatchListing.Stored {
        var query = ListQuery(selection: selection, ended: ended, limit: limit)
        query.afterSequence = sequence
        let page = try store.page(query)
        return (page.records.map(currentSnapshot), page.records.last?.sequence ?? 0, page.hasMore)
    }

    private func named(
        _ ids: [TransferID], from first: Int, _ hadExample: Bool, _ detail: WatchDetail, limit: Int
    ) throws(TransferFailure) -> (WatchUpdate, WatchListing?) {
        var update = WatchUpdate(changed: [], removed: [])
        var (next, hasExample) = (first, hadExample)
        while next < ids.count, update.count < limit {
            let id = ids[next]
            next += 1
            // Known without a look at the disk.
            if detail.omitsQueued, turns.queue.isWaiting(id) {
                if hasExample { continue }
                hasExample = true
            }
            guard let transfer = try transfer(id) else {
                update.removed.append(id)
                continue
            }
            if detail.isBrief, let success = transfer.record.success {
                update.succeeded.append(success)
            } else {
                update.changed.append(snapshot(of: transfer.record))
            }
        }
        update.completesList = next == ids.count
        return (update, next == ids.count ? nil : .named(from: next, hasExample: hasExample))
    }
}
