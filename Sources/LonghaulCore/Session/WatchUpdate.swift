/// An update for a watcher: the newest snapshot of each transfer that changed since the last update.
package struct WatchUpdate: Equatable, Sendable {
    /// A brief report of a transfer that succeeded.
    package struct Success: Equatable, Sendable {
        package var id: TransferID
        /// The path of the finished file of a download.
        package var path: String?

        package init(id: TransferID, path: String? = nil) {
            self.id = id
            self.path = path
        }
    }

    /// New and changed transfers.
    package var changed: [TransferSnapshot]
    /// Transfers that were removed, or left the watched group.
    package var removed: [TransferID]
    /// Transfers that succeeded and are not in `changed`; only for watchers that requested brief updates.
    package var succeeded: [Success]
    /// Whether the list of selected transfers restarts with this update: the watch begins, or the session was reopened,
    /// for example by another owner or after a repair of its queue.
    package var beginsList: Bool
    /// Whether this update completes the list. A transfer that the watcher knew before, and that the list did not
    /// repeat, is gone.
    package var completesList: Bool

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

    /// The number of transfers in the update.
    package var count: Int { changed.count + removed.count + succeeded.count }
}

/// The level of detail for a watcher.
package struct WatchDetail: Equatable, Sendable {
    /// Omits transfers that only wait for a slot from the first answer, except one. For many named transfers.
    package var omitsQueued: Bool
    /// Reports a success only as `WatchUpdate.Success`, and no progress. For apps that submit thousands of transfers
    /// and show none of them.
    package var isBrief: Bool
    /// Omits transfers from the first answer that had ended before. For all transfers or a group, not for named
    /// transfers.
    package var omitsEnded: Bool

    package init(omitsQueued: Bool = false, isBrief: Bool = false, omitsEnded: Bool = false) {
        self.omitsQueued = omitsQueued
        self.isBrief = isBrief
        self.omitsEnded = omitsEnded
    }
}
