/// A list of transfers and how it changes; see ``TransferSession/changes(matching:)``.
package struct TransferListChanges: AsyncSequence, Sendable {
    /// One change.
    package typealias Element = TransferListChange
    /// Why it can end early.
    package typealias Failure = TransferFailure

    let query: TransferQuery
    let backend: any SessionBackend

    /// Begins to observe.
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
                if let change = tracker.take(update) { return change }
            }
            return nil
        }
    }
}

extension TransferSession {
    /// What a screen of transfers needs: first the whole list, then what changes, about ten times a second at most.
    ///
    /// Changes are in order of submission and hold the latest values only: a slow observer misses steps in between and
    /// never the last one. There may be any number of observers. When the service had to be started again, the sequence
    /// goes on with the difference. It ends when the session is closed, and fails when the service cannot be had again.
    public func changes(
        matching query: TransferQuery = .all
    ) -> some AsyncSequence<TransferListChange, TransferFailure> & Sendable {
        TransferListChanges(query: query, backend: backend)
    }
}
