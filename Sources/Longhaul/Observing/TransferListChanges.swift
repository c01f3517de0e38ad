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

extension TransferSession {
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
