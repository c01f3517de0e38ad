/// What a watcher is told: the newest snapshot of each transfer that changed since the last update.
public struct WatchUpdate: Equatable, Sendable {
    /// A transfer that has succeeded, told in brief.
    public struct Success: Equatable, Sendable {
        /// The transfer.
        public var id: TransferID
        /// Where the finished file of a download is.
        public var path: String?

        /// Names what has succeeded.
        public init(id: TransferID, path: String? = nil) {
            self.id = id
            self.path = path
        }
    }

    /// New and changed transfers.
    public var changed: [TransferSnapshot]
    /// Transfers that are gone.
    public var removed: [TransferID]
    /// Transfers that have succeeded and are not in `changed`: only for who wants to be told in brief.
    public var succeeded: [Success]
    /// Whether with this update everything has been told that was selected when the watch began. What a watcher knows
    /// from an earlier watch and was not told again by then is gone.
    public var completesList: Bool

    /// Reports changes.
    public init(
        changed: [TransferSnapshot], removed: [TransferID], succeeded: [Success] = [], completesList: Bool = false
    ) {
        self.changed = changed
        self.removed = removed
        self.succeeded = succeeded
        self.completesList = completesList
    }

    /// How many transfers it tells of.
    package var count: Int { changed.count + removed.count + succeeded.count }
}

/// How much a watcher wants to be told.
package struct WatchDetail: Equatable, Sendable {
    /// Leaves those of many named transfers out of the first answer that only wait for their turn, but for one.
    package var omitsQueued: Bool
    /// Tells of a success no more than `WatchUpdate.Success`, and nothing of the progress of what runs: for who submitted thousands
    /// and shows none of them.
    package var isBrief: Bool

    package init(omitsQueued: Bool = false, isBrief: Bool = false) {
        self.omitsQueued = omitsQueued
        self.isBrief = isBrief
    }
}
