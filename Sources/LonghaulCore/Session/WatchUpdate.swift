/// What a watcher is told: the newest snapshot of each transfer that changed since the last update.
package struct WatchUpdate: Equatable, Sendable {
    /// A transfer that has succeeded, told in brief.
    package struct Success: Equatable, Sendable {
        /// The transfer.
        package var id: TransferID
        /// Where the finished file of a download is.
        package var path: String?

        /// Names what has succeeded.
        package init(id: TransferID, path: String? = nil) {
            self.id = id
            self.path = path
        }
    }

    /// New and changed transfers.
    package var changed: [TransferSnapshot]
    /// Transfers that are gone, or have left the group that is watched.
    package var removed: [TransferID]
    /// Transfers that have succeeded and are not in `changed`: only for who wants to be told in brief.
    package var succeeded: [Success]
    /// Whether everything that is selected is told anew from this update on: the watch begins, or the session was opened
    /// again, by another owner perhaps or after its queue was mended.
    package var beginsList: Bool
    /// Whether with this update everything has been told that was selected when the list began. What a watcher knows from
    /// before and was not told again by then is gone.
    package var completesList: Bool

    /// Reports changes.
    package init(
        changed: [TransferSnapshot], removed: [TransferID], succeeded: [Success] = [], beginsList: Bool = false,
        completesList: Bool = false
    ) {
        self.changed = changed
        self.removed = removed
        self.succeeded = succeeded
        self.beginsList = beginsList
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
    /// Leaves those out of the first answer that had ended before; of all or of a group, not of what is named.
    package var omitsEnded: Bool

    package init(omitsQueued: Bool = false, isBrief: Bool = false, omitsEnded: Bool = false) {
        self.omitsQueued = omitsQueued
        self.isBrief = isBrief
        self.omitsEnded = omitsEnded
    }
}
