import LonghaulCore

/// The unacknowledged events of a session, then each new event; see ``TransferSession/events``.
package struct SessionEvents: AsyncSequence, Sendable {
    /// One event.
    package typealias Element = SessionEvent
    /// Why it can end early.
    package typealias Failure = TransferFailure

    let backend: any SessionBackend

    /// Starts with the oldest event.
    package func makeAsyncIterator() -> Iterator {
        Iterator(backend: backend)
    }

    /// One observer.
    package struct Iterator: AsyncIteratorProtocol {
        /// The number of consecutive failed attempts before it gives up.
        private static let patience = 8

        private let backend: any SessionBackend
        private var feed: (any SessionFeed<Int64>)?
        private var failures = 0
        /// Events that were fetched but not delivered yet.
        private var fetched: ArraySlice<SessionEvent> = []
        private var last: Int64 = 0
        /// Whether there may be more events than were fetched.
        private var hasMore = false

        init(backend: any SessionBackend) {
            self.backend = backend
        }

        /// Returns the next event; `nil` if the session was closed or the task was cancelled.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransferFailure) -> SessionEvent? {
            while !Task.isCancelled {
                if let event = fetched.popFirst() { return event }
                do throws(TransferFailure) {
                    guard try await fetch() else { return nil }
                    failures = 0
                } catch {
                    feed = nil
                    failures += 1
                    if Task.isCancelled { return nil }
                    guard error.code == .serviceUnavailable, failures < Self.patience else { throw error }
                }
            }
            return nil
        }

        /// Fetches once; `false` if there will be no more events.
        private mutating func fetch(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(TransferFailure) -> Bool {
            if hasMore {
                let page = try await backend.events(after: last)
                fetched = page.events[...]
                last = page.events.last?.number ?? last
                hasMore = page.hasMore
                return true
            }
            guard let feed else {
                // Without delay the first time, then 50 ms, twice as long each time. A pause that is cut short needs no handling.
                if failures > 1 { try? await Task.sleep(for: .milliseconds(25 << failures)) }
                feed = try await backend.attend()
                return feed != nil
            }
            guard let newest = try await feed.next() else { return false }
            hasMore = newest > last
            return true
        }
    }
}
