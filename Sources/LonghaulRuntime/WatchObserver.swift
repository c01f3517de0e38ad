package import LonghaulCore

/// Asks for what there is to tell: the reply comes once, from any thread, with `nil` when that is nothing now.
package typealias WatchPull = @Sendable (_ reply: @escaping @Sendable (WatchUpdate?) -> Void) -> Void

/// What a watcher hears that asks for its updates itself.
package enum WatchSignal: Sendable {
    /// There is something to tell. No other signal comes before the pull was called.
    case news(WatchPull)
    /// It has fallen behind by more than is kept; the watch is over, and may be begun again.
    case lost
}

/// How a watcher is told.
enum WatchObserver: Sendable {
    /// All that there is, about ten times a second.
    case each(@Sendable (WatchUpdate) -> Void)
    /// That there is something, or that the watch is over; the watcher pulls in portions when it has room for them.
    case signalled(@Sendable (_ isLost: Bool) -> Void)
}

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

    /// Whether nothing of it was told yet.
    var isBeginning: Bool {
        [.named(from: 0, hasExample: false), .live(after: 0), .liveAlone(after: 0)].contains(self)
    }
}

/// Portions of lists.
extension WatchListing {
    typealias Stored = (snapshots: [TransferSnapshot], last: Int64, hasMore: Bool)

    /// One that is followed by others.
    static func update(_ snapshots: [TransferSnapshot]) -> WatchUpdate {
        WatchUpdate(changed: snapshots, removed: [])
    }

    /// One with ended transfers, which come last.
    static func ending(_ snapshots: [TransferSnapshot], _ page: Stored) -> (WatchUpdate, WatchListing?) {
        last(snapshots, page.hasMore ? .ended(after: page.last) : nil)
    }

    /// The last one, unless there is a next.
    static func last(_ snapshots: [TransferSnapshot], _ next: WatchListing?) -> (WatchUpdate, WatchListing?) {
        (WatchUpdate(changed: snapshots, removed: [], completesList: next == nil), next)
    }
}

/// What watchers are told from: the loop's view of its transfers.
struct WatchView {
    /// A transfer as it is shown, given its record; of one that runs also without.
    var snapshot: (TransferID, TransferRecord?) -> TransferSnapshot?
    /// A transfer's record; `nil` when it is gone.
    var record: (TransferID) throws(TransferFailure) -> TransferRecord?
}
