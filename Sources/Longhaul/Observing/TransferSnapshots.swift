/// The states of one transfer from now on, latest values only; see ``Transfer/snapshots``.
package struct TransferSnapshots: AsyncSequence, Sendable {
    /// One state.
    package typealias Element = TransferSnapshot
    /// Why it can end early.
    package typealias Failure = TransferFailure

    let id: TransferID
    let backend: any SessionBackend

    /// Starts to observe.
    package func makeAsyncIterator() -> Iterator {
        Iterator(id: id, watch: LastingWatch(.ids([id]), of: backend))
    }

    /// One observer.
    package struct Iterator: AsyncIteratorProtocol {
        private let id: TransferID
        private var watch: LastingWatch
        private var last: TransferSnapshot?
        private var isOver = false

        init(id: TransferID, watch: LastingWatch) {
            self.id = id
            self.watch = watch
        }

        /// The next state; `nil` after the last one.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransferFailure) -> TransferSnapshot? {
            while !isOver, let update = try await watch.next(isolation: actor) {
                let snapshot = update.changed.last { $0.id == id }
                // A complete list without the transfer: the session does not have it.
                isOver = snapshot?.state.isEnded ?? (update.completesList || update.removed.contains(id))
                guard let snapshot, snapshot != last else { continue }
                last = snapshot
                return snapshot
            }
            isOver = true
            return nil
        }
    }
}
