/// A list of transfers and how it changes; see ``TransferSession/changes(matching:)``.
package struct TransferListChanges: AsyncSequence, Sendable {
    /// One change.
    package typealias Element = TransferListChange
    /// Why it can end early.
    package typealias Failure = TransferFailure

    let query: TransferQuery
    let backend: any SessionBackend

    /// Starts to observe.
    package func makeAsyncIterator() -> Iterator {
        Iterator(tracker: ListTracker(query), watch: LastingWatch(query.selection, of: backend))
    }

    /// One observer.
    package struct Iterator: AsyncIteratorProtocol {
        private var tracker: ListTracker
        private var watch: LastingWatch

        init(tracker: ListTracker, watch: LastingWatch) {
            self.tracker = tracker
            self.watch = watch
        }

        /// The next change; `nil` when the session was closed.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransferFailure) -> TransferListChange? {
            while let update = try await watch.next(isolation: actor) {
                if let change = tracker.apply(update) { return change }
            }
            return nil
        }
    }
}

/// The combined progress of a list; see ``TransferSession/progress(ofGroup:)``.
package struct GroupProgressChanges: AsyncSequence, Sendable {
    /// The progress after one change.
    package typealias Element = GroupProgress
    /// Why it can end early.
    package typealias Failure = TransferFailure

    let changes: TransferListChanges

    /// Starts to observe.
    package func makeAsyncIterator() -> Iterator { Iterator(changes: changes.makeAsyncIterator()) }

    /// One observer.
    package struct Iterator: AsyncIteratorProtocol {
        private var changes: TransferListChanges.Iterator
        private var transfers: [TransferSnapshot] = []

        init(changes: TransferListChanges.Iterator) {
            self.changes = changes
        }

        /// The progress after the next change; `nil` when the session was closed.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransferFailure) -> GroupProgress? {
            guard let change = try await changes.next(isolation: actor) else { return nil }
            change.apply(to: &transfers)
            return GroupProgress(of: transfers)
        }
    }
}

extension TransferSession {
    /// Returns the combined progress of a group, then its changes, at most about ten times a second.
    ///
    /// The sequence continues when all transfers have ended, because more may be submitted: leave the loop at
    /// ``GroupProgress/isEnded``. It ends and fails as ``changes(matching:)`` does.
    public func progress(
        ofGroup name: String
    ) -> some AsyncSequence<GroupProgress, TransferFailure> & Sendable {
        GroupProgressChanges(changes: TransferListChanges(query: .group(name), backend: backend))
    }

    /// Returns the list of transfers, then its changes, at most about ten times a second.
    ///
    /// Changes are in order of submission. A slow loop skips intermediate values, but never the last ones. The sequence continues
    /// after a restart of the service, and ends when the session is closed. It fails with `serviceUnavailable` if the service
    /// cannot be started again.
    public func changes(
        matching query: TransferQuery = .all
    ) -> some AsyncSequence<TransferListChange, TransferFailure> & Sendable {
        TransferListChanges(query: query, backend: backend)
    }
}
