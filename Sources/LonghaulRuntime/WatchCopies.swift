import LonghaulCore

/// A cache of updates. Watchers of the same list or group that have received the same changes get the same copy.
final class WatchCopies {
    typealias Changes = (update: WatchUpdate, told: UInt64, isAll: Bool)

    /// `nil` if the selection names transfers: that is seldom shared.
    private enum Subject: Hashable {
        case all
        case group(String)

        init?(_ selection: TransferSelection) {
            switch selection {
            case .all: self = .all
            case .group(let name): self = .group(name)
            case .ids: return nil
            }
        }
    }

    private struct ChangesKey: Hashable {
        var subject: Subject
        var isBrief: Bool
        var told: UInt64
        /// Whether it contains the progress of this tick.
        var hasFigures: Bool
        var tick: UInt64
        var limit: Int
    }

    private struct PageKey: Hashable {
        var subject: Subject
        var listing: WatchListing
        var newest: UInt64
        var limit: Int
    }

    private static let room = 16
    /// The number of transfers read for updates that were not in the cache.
    private(set) var made = 0
    private var changes: [ChangesKey: Changes] = [:]
    private var pages: [PageKey: (update: WatchUpdate, next: WatchListing?)] = [:]

    func removeAll() {
        if !changes.isEmpty { changes = [:] }
        if !pages.isEmpty { pages = [:] }
    }

    func changes(
        for watcher: Watchers.Watcher, tick: UInt64, newest: UInt64, limit: Int, _ make: () -> Changes
    ) -> Changes {
        guard let subject = Subject(watcher.selection) else {
            return count(make())
        }
        let key = ChangesKey(
            subject: subject, isBrief: watcher.detail.isBrief, told: watcher.told,
            hasFigures: watcher.figures < tick, tick: tick, limit: limit)
        // An update that reached the newest change is outdated once there are more changes.
        if let known = changes[key], !known.isAll || known.told == newest { return known }
        let new = count(make())
        if changes.count >= Self.room { changes = [:] }
        changes[key] = new
        return new
    }

    /// A page of a list is the same for all watchers while nothing changes.
    func page(
        of watcher: Watchers.Watcher, _ listing: WatchListing, newest: UInt64, limit: Int,
        _ make: () throws(TransferFailure) -> (WatchUpdate, WatchListing?)
    ) throws(TransferFailure) -> (update: WatchUpdate, next: WatchListing?) {
        guard let subject = Subject(watcher.selection) else {
            return count(try make())
        }
        let key = PageKey(subject: subject, listing: listing, newest: newest, limit: limit)
        if let known = pages[key] { return known }
        let new = count(try make())
        if pages.count >= Self.room { pages = [:] }
        pages[key] = new
        return new
    }

    private func count(_ changes: Changes) -> Changes {
        made += 1 + changes.update.count
        return changes
    }

    private func count(_ page: (WatchUpdate, WatchListing?)) -> (WatchUpdate, WatchListing?) {
        made += 1 + page.0.count
        return page
    }
}
