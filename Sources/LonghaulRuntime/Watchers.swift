import LonghaulCore

/// Who watches which transfers. Changes are gathered and told about ten times a second, latest values only; who named
/// transfers hears at once when the last of them has ended.
struct Watchers {
    struct Watcher {
        let selection: TransferSelection
        let detail: WatchDetail
        let observer: WatchObserver
        /// Those that were named.
        let ids: Set<TransferID>
        /// How many of them have not ended.
        var left: Int
        /// What was selected at the beginning and is still to be told.
        var listing: WatchListing?
        /// The number of the newest change that was told.
        var told: UInt64
        /// The tick whose figures were told.
        var figures: UInt64
        /// Whether it knows that there is something, and has not asked for that yet.
        var isSignalled = false

        func wants(_ id: TransferID, group: String?) -> Bool {
            switch selection {
            case .all: true
            case .ids: ids.contains(id)
            case .group(let name): group == name
            }
        }

        /// Whether it watches a group that the transfer was in before: for this watcher it is gone.
        func loses(_ change: WatchLog.Change) -> Bool {
            guard case .group(let name) = selection else { return false }
            return change.formerGroups.contains(name)
        }

        var isPushed: Bool { if case .each = observer { true } else { false } }
    }

    private static let interval = Duration.milliseconds(100)
    /// How many changes are kept for watchers that do not ask for them: about 20 MB.
    var keptChanges = 131_072
    /// Of how many of the latest changes the news are kept as well, about 10 MB: as many as come in a second or two.
    var keptNews = 8_192

    private var watchers: [WatchToken: Watcher] = [:]
    private(set) var log = WatchLog()
    /// Who named one transfer alone, by that transfer, and who named several: an app may have a watch for each of thousands.
    private var watchersOfOne: [TransferID: Set<WatchToken>] = [:]
    private var watchersOfSome: Set<WatchToken> = []
    /// How many want to see what runs.
    private var watchersInFull = 0
    /// Who has nothing left to wait for since the last telling.
    private var finished: Set<WatchToken> = []
    /// Who is told all at once and has not been told its list yet.
    private(set) var unlisted: [WatchToken] = []
    /// What has run since the last tick without a change, as it was then. What has changed is told as a change: the older
    /// figures must not come after the end of a transfer.
    private var running: [TransferID: WatchNews] = [:]
    private var tick: UInt64 = 0
    private var toldAt: WallTime?
    /// Whether somebody could not be told what there was to tell.
    private var mustTick = false
    /// What watchers with the same wish are told alike.
    let copies = WatchCopies()

    var isEmpty: Bool { watchers.isEmpty }

    subscript(token: WatchToken) -> Watcher? { watchers[token] }

    /// What makes the same watches in another loop.
    var inputs: [LoopInput] {
        watchers.sorted { $0.key.number < $1.key.number }.map { token, watcher in
            switch watcher.observer {
            case .each(let observer): .watch(token, watcher.selection, watcher.detail, observer: observer)
            case .signalled(let signal): .watchByPulls(token, watcher.selection, watcher.detail, signal: signal)
            }
        }
    }

    /// Transfers that somebody watches alone.
    var watchedAlone: some Collection<TransferID> { watchersOfOne.keys }

    /// `left` counts those of the named transfers that have not ended.
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
        // What was noted before is told by the list.
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

    /// A transfer became this; `nil` when it is gone. `before` is the group that it was in, `wasLive` tells whether it had not ended.
    mutating func note(
        _ id: TransferID, _ record: TransferRecord?, group: String?, before: String? = nil, wasLive: Bool
    ) {
        guard !watchers.isEmpty else { return }
        log.note(id, record, group: group, before: before)
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

    /// When the watchers should be told again.
    func nextTick(isMoving: Bool, at now: WallTime) -> WallTime? {
        guard !watchers.isEmpty, isMoving && watchersInFull > 0 || log.isFresh || mustTick || !unlisted.isEmpty else {
            return nil
        }
        // A clock that was set back must not silence the watchers.
        return min(toldAt ?? now, now) + Self.interval
    }

    /// The watcher's list is told up to there; `nil`: to its end.
    mutating func advance(_ token: WatchToken, to listing: WatchListing?) {
        watchers[token]?.listing = listing
        if listing == nil { watchers[token]?.figures = tick }
        if listing == nil, !unlisted.isEmpty { unlisted.removeAll { $0 == token } }
    }

    /// Somebody could not be told what there is, and is told at the next tick that it is there.
    mutating func tickSoon() { mustTick = true }

    /// Tells the watchers, if the last telling is long enough ago. What runs is looked at even if nothing was noted.
    mutating func tell(at now: WallTime, _ view: WatchView) {
        guard !watchers.isEmpty else { return }
        for token in finished { serve(token, view) }
        finished = []
        // A clock that was set back must not silence the watchers.
        if let toldAt, now - toldAt < Self.interval, now >= toldAt { return }
        toldAt = now
        mustTick = false
        tick += 1
        running = [:]
        for snapshot in watchersInFull > 0 ? view.running() : [] {
            running[snapshot.id] = WatchNews(ofRunning: snapshot)
        }
        copies.removeAll()
        for token in Array(watchers.keys) { serve(token, view) }
        copies.removeAll()
        giveUpLaggards()
        log.settle(toldToAll: watchers.values.lazy.map(\.told).min() ?? log.newest, keepingNewsOf: keptNews)
    }

    /// Tells a watcher what is new, or that something is.
    private mutating func serve(_ token: WatchToken, _ view: WatchView) {
        guard let watcher = watchers[token], watcher.listing == nil || !watcher.isPushed else { return }
        switch watcher.observer {
        case .each(let observer):
            if let update = news(for: token, limit: .max, view) { observer(update) }
        case .signalled:
            if !watcher.isSignalled, hasNews(token) { signal(token) }
        }
    }

    /// Says that there is something to ask for.
    mutating func signal(_ token: WatchToken) {
        guard case .signalled(let signal) = watchers[token]?.observer else { return }
        watchers[token]?.isSignalled = true
        signal(false)
    }

    /// The watcher asks: it hears of what comes after this again.
    mutating func noteAsked(_ token: WatchToken) {
        watchers[token]?.isSignalled = false
    }

    /// Whether there is something to tell. What the watcher does not want counts as told.
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

    /// The next changes that a watcher has not been told, of at most `limit` transfers, then figures; `nil` for none.
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
        var pieces: [WatchNews] = []
        var told = watcher.told
        var isAll = true
        log.forEach(after: watcher.told) { change in
            let loses = watcher.loses(change)
            if loses || watcher.wants(change.id, group: change.group) {
                isAll = pieces.count < limit
                guard isAll, let found = loses ? WatchNews.gone(change.id) : piece(change, view) else {
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

    private func addFigures(to pieces: inout [WatchNews], for watcher: Watcher) {
        let known = Set(pieces.lazy.map(\.id))
        pieces += running.values.filter { watcher.wants($0.id, group: $0.group) && !known.contains($0.id) }
    }

    /// `nil` when it cannot be read now.
    private func piece(_ change: WatchLog.Change, _ view: WatchView) -> WatchNews? {
        if let news = change.news { return news }
        if change.isGone { return .gone(change.id) }
        do throws(TransferFailure) {
            return WatchNews(change.id, try view.record(change.id), sequence: change.sequence)
        } catch {
            return nil
        }
    }

    /// Whoever does not ask must not have everything kept.
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
