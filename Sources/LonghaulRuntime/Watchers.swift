import LonghaulCore

/// Watchers of transfers. Changes are collected and sent about ten times a second, latest values only. A watcher of named transfers is
/// notified at once when the last of them has ended.
struct Watchers {
    struct Watcher {
        let selection: TransferSelection
        let detail: WatchDetail
        let observer: WatchObserver
        /// The named transfers.
        let ids: Set<TransferID>
        /// How many of them have not ended.
        var left: Int
        /// The part of the initial selection that was not sent yet.
        var listing: WatchListing?
        /// The number of the newest change sent.
        var told: UInt64
        /// The tick of the progress sent last.
        var figures: UInt64
        /// Whether it was signalled and has not pulled since.
        var isSignalled = false

        func wants(_ id: TransferID, group: String?) -> Bool {
            switch selection {
            case .all: true
            case .ids: ids.contains(id)
            case .group(let name): group == name
            }
        }

        /// Whether it watches a group that the transfer has left: for this watcher the transfer is gone.
        func loses(_ change: WatchLog.Change) -> Bool {
            guard case .group(let name) = selection else { return false }
            return change.formerGroups.contains(name)
        }

        var isPushed: Bool { if case .each = observer { true } else { false } }
    }

    private static let interval = Duration.milliseconds(100)
    /// The number of changes kept for watchers that do not pull: about 20 MB.
    var keptChanges = 131_072
    /// The number of latest changes whose values are kept too, about 10 MB: as many as come in a second or two.
    var keptNews = 8_192

    private var watchers: [WatchToken: Watcher] = [:]
    private(set) var log = WatchLog()
    /// Watchers of one named transfer, by that transfer: an app may have a watch for each of thousands. Then watchers of several.
    private var watchersOfOne: [TransferID: Set<WatchToken>] = [:]
    private var watchersOfSome: Set<WatchToken> = []
    /// The number of watchers that want progress.
    private var watchersInFull = 0
    /// Watchers whose named transfers have all ended since the last delivery.
    private var finished: Set<WatchToken> = []
    /// Watchers that do not pull and have not received their list yet.
    private(set) var unlisted: [WatchToken] = []
    /// Snapshots of transfers that have run since the last tick without a change. A changed transfer is sent as a change: its older
    /// progress must not follow its end.
    private var running: [TransferID: WatchChange] = [:]
    private var tick: UInt64 = 0
    private var reportedAt: WallTime?
    /// Whether a watcher could not receive its updates.
    private var mustTick = false
    /// Updates shared by watchers with the same selection.
    let copies = WatchCopies()

    var isEmpty: Bool { watchers.isEmpty }

    subscript(token: WatchToken) -> Watcher? { watchers[token] }

    /// Inputs that create the same watches in another loop.
    var inputs: [LoopInput] {
        watchers.sorted { $0.key.number < $1.key.number }.map { token, watcher in
            switch watcher.observer {
            case .each(let observer): .watch(token, watcher.selection, watcher.detail, observer: observer)
            case .signalled(let signal): .watchByPulls(token, watcher.selection, watcher.detail, signal: signal)
            }
        }
    }

    /// Transfers that are watched individually.
    var watchedAlone: some Collection<TransferID> { watchersOfOne.keys }

    /// `left` is the number of named transfers that have not ended.
    mutating func add(
        _ token: WatchToken, _ selection: TransferSelection, _ detail: WatchDetail, left: Int, _ observer: WatchObserver
    ) {
        remove(token)
        var ids: Set<TransferID> = []
        var listing = detail.omitsEnded ? WatchListing.liveAlone(after: 0) : .live(after: 0)
        if case .ids(let named) = selection {
            ids = Set(named)
            listing = .named(from: 0, hasExample: false)
        }
        // The list contains earlier changes.
        let watcher = Watcher(
            selection: selection, detail: detail, observer: observer, ids: ids, left: left, listing: listing,
            told: log.newest, figures: tick)
        watchers[token] = watcher
        if watcher.isPushed { unlisted.append(token) } else { signal(token) }
        if !detail.isBrief { watchersInFull += 1 }
        if ids.count > 1 {
            watchersOfSome.insert(token)
        } else if let id = ids.first {
            watchersOfOne[id, default: []].insert(token)
        }
    }

    mutating func remove(_ token: WatchToken) {
        guard let watcher = watchers.removeValue(forKey: token) else { return }
        watchersOfSome.remove(token)
        if !watcher.detail.isBrief { watchersInFull -= 1 }
        finished.remove(token)
        if !unlisted.isEmpty { unlisted.removeAll { $0 == token } }
        if watcher.ids.count == 1, let id = watcher.ids.first {
            watchersOfOne[id]?.remove(token)
            if watchersOfOne[id]?.isEmpty ?? false { watchersOfOne[id] = nil }
        }
        guard watchers.isEmpty else { return }
        log.removeAll()
        running = [:]
        copies.removeAll()
    }

    /// Notes a changed transfer; `nil` if it was deleted. `before` is its former group; `wasLive` means that it had not ended.
    mutating func record(
        _ id: TransferID, _ record: TransferRecord?, group: String?, before: String? = nil, wasLive: Bool
    ) {
        guard !watchers.isEmpty else { return }
        log.record(id, record, group: group, before: before)
        if !running.isEmpty { running[id] = nil }
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

    /// Returns when the watchers should be updated again.
    func nextTick(isMoving: Bool, at now: WallTime) -> WallTime? {
        guard !watchers.isEmpty, isMoving && watchersInFull > 0 || log.isFresh || mustTick || !unlisted.isEmpty else {
            return nil
        }
        // A clock that was set back must not silence the watchers.
        return min(reportedAt ?? now, now) + Self.interval
    }

    /// Advances a watcher's list to there; `nil` for its end.
    mutating func advance(_ token: WatchToken, to listing: WatchListing?) {
        watchers[token]?.listing = listing
        if listing == nil { watchers[token]?.figures = tick }
        if listing == nil, !unlisted.isEmpty { unlisted.removeAll { $0 == token } }
    }

    /// Updates watchers at the next tick, because an update could not be read.
    mutating func tickSoon() { mustTick = true }

    /// Updates the watchers, if the last delivery was long enough ago. Running transfers are read even if nothing changed.
    mutating func deliverUpdates(at now: WallTime, _ view: WatchView) {
        guard !watchers.isEmpty else { return }
        for token in finished { serve(token, view) }
        finished = []
        // A clock that was set back must not silence the watchers.
        if let reportedAt, now - reportedAt < Self.interval, now >= reportedAt { return }
        reportedAt = now
        mustTick = false
        tick += 1
        running = [:]
        for snapshot in watchersInFull > 0 ? view.running() : [] {
            running[snapshot.id] = WatchChange(ofRunning: snapshot)
        }
        copies.removeAll()
        for token in Array(watchers.keys) { serve(token, view) }
        copies.removeAll()
        giveUpLaggards()
        log.prune(toldToAll: watchers.values.lazy.map(\.told).min() ?? log.newest, keepingNewsOf: keptNews)
    }

    /// Sends a watcher its updates, or signals that there are some.
    private mutating func serve(_ token: WatchToken, _ view: WatchView) {
        guard let watcher = watchers[token], watcher.listing == nil || !watcher.isPushed else { return }
        switch watcher.observer {
        case .each(let observer):
            if let update = news(for: token, limit: .max, view) { observer(update) }
        case .signalled:
            if !watcher.isSignalled, hasNews(token) { signal(token) }
        }
    }

    /// Signals that there are updates to pull.
    mutating func signal(_ token: WatchToken) {
        guard case .signalled(let signal) = watchers[token]?.observer else { return }
        watchers[token]?.isSignalled = true
        signal(false)
    }

    /// Notes a pull, so that later changes are signalled again.
    mutating func recordQuery(_ token: WatchToken) {
        watchers[token]?.isSignalled = false
    }

    /// Returns whether there are updates. Changes outside the watcher's selection count as sent.
    mutating func hasNews(_ token: WatchToken) -> Bool {
        guard let watcher = watchers[token] else { return false }
        if watcher.listing != nil { return true }
        var isWanted = false
        log.forEach(after: watcher.told) { change in
            isWanted = watcher.wants(change.id, group: change.group) || watcher.loses(change)
            return !isWanted
        }
        if isWanted { return true }
        watchers[token]?.told = log.newest
        guard !watcher.detail.isBrief, watcher.figures < tick else { return false }
        return running.values.contains { watcher.wants($0.id, group: $0.group) }
    }

    /// Returns the next unsent changes for a watcher, of at most `limit` transfers, then progress; `nil` for none.
    mutating func news(for token: WatchToken, limit: Int, _ view: WatchView) -> WatchUpdate? {
        guard let watcher = watchers[token], watcher.listing == nil else { return nil }
        let (update, told, isAll) = copies.changes(for: watcher, tick: tick, newest: log.newest, limit: limit) {
            gather(for: watcher, limit: limit, view)
        }
        watchers[token]?.told = told
        if isAll { watchers[token]?.figures = tick }
        return update.count > 0 ? update : nil
    }

    private func gather(for watcher: Watcher, limit: Int, _ view: WatchView) -> WatchCopies.Changes {
        var pieces: [WatchChange] = []
        var told = watcher.told
        var isAll = true
        log.forEach(after: watcher.told) { change in
            let loses = watcher.loses(change)
            if loses || watcher.wants(change.id, group: change.group) {
                isAll = pieces.count < limit
                guard isAll, let found = loses ? WatchChange.gone(change.id) : piece(change, view) else {
                    isAll = false
                    return false
                }
                pieces.append(found)
            }
            told = change.number
            return true
        }
        if isAll {
            told = log.newest
            if !watcher.detail.isBrief, watcher.figures < tick { addFigures(to: &pieces, for: watcher) }
        }
        pieces.sort { $0.sequence < $1.sequence }
        var update = WatchUpdate(changed: [], removed: [])
        for piece in pieces { piece.add(to: &update, inBrief: watcher.detail.isBrief, view.snapshot) }
        return (update, told, isAll)
    }

    private func addFigures(to pieces: inout [WatchChange], for watcher: Watcher) {
        let known = Set(pieces.lazy.map(\.id))
        pieces += running.values.filter { watcher.wants($0.id, group: $0.group) && !known.contains($0.id) }
    }

    /// Returns `nil` if it cannot be read now.
    private func piece(_ change: WatchLog.Change, _ view: WatchView) -> WatchChange? {
        if let news = change.news { return news }
        if change.isGone { return .gone(change.id) }
        do throws(TransferFailure) {
            return WatchChange(change.id, try view.record(change.id), sequence: change.sequence)
        } catch {
            return nil
        }
    }

    /// Drops watchers that do not pull, so that changes are not kept forever.
    private mutating func giveUpLaggards() {
        guard log.count > keptChanges else { return }
        let oldest = log.number(before: keptChanges)
        for (token, watcher) in watchers where watcher.told < oldest {
            guard case .signalled(let signal) = watcher.observer else { continue }
            remove(token)
            signal(true)
        }
    }
}
