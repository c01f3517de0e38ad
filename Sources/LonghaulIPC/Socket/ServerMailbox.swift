package import LonghaulCore
import Synchronization

/// Names a connected client; never used twice.
package struct ClientNumber: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) {
        self.value = value
    }
}

/// Names one request of one client.
package struct RequestKey: Hashable, Sendable {
    package let client: ClientNumber
    package let number: UInt64

    package init(client: ClientNumber, number: UInt64) {
        self.client = client
        self.number = number
    }
}

/// Where other threads leave what the server's thread is to send. Whatever is meant for a client that is gone is dropped.
package final class ServerMailbox: Sendable {
    struct Delivery {
        var replies: [(key: RequestKey, message: ServiceMessage)] = []
        var freshWatches: Set<RequestKey> = []
        /// The newest event that each of those who are attached is to be told of.
        var news: [RequestKey: Int64] = [:]
        /// The runs that each of those who have handlers is to be told of.
        var taskRuns: [RequestKey: TaskAssignments] = [:]
        var shouldStop = false
    }

    private struct State {
        var delivery = Delivery()
        var watches: [RequestKey: WatchBuffer] = [:]
    }

    let wake = WakeSignal()
    private let state = Mutex(State())

    package init() {}

    /// Answers a request.
    package func reply(_ message: ServiceMessage, to key: RequestKey) {
        state.withLock { $0.delivery.replies.append((key, message)) }
        wake.raise()
    }

    /// Adds to what a watcher has not been sent yet.
    package func update(_ update: WatchUpdate, to key: RequestKey) {
        let isWatched = state.withLock { state in
            guard state.watches[key] != nil else { return false }
            state.watches[key]?.merge(update)
            state.delivery.freshWatches.insert(key)
            return true
        }
        if isWatched { wake.raise() }
    }

    /// Tells somebody who is attached the number of the newest event; what was not sent yet is replaced.
    package func news(_ newestEvent: Int64, to key: RequestKey) {
        state.withLock { $0.delivery.news[key] = newestEvent }
        wake.raise()
    }

    /// Tells somebody who has handlers which runs are its own; what was not sent yet is replaced.
    package func taskRuns(_ assignments: TaskAssignments, to key: RequestKey) {
        state.withLock { $0.delivery.taskRuns[key] = assignments }
        wake.raise()
    }

    /// Ends the server's `run`.
    package func stop() {
        state.withLock { $0.delivery.shouldStop = true }
        wake.raise()
    }

    func collect() -> Delivery {
        state.withLock { state in
            let delivery = state.delivery
            state.delivery = Delivery(shouldStop: delivery.shouldStop)
            return delivery
        }
    }

    func beginWatch(_ key: RequestKey) {
        state.withLock { $0.watches[key] = WatchBuffer() }
    }

    func endWatch(_ key: RequestKey) {
        state.withLock { $0.watches[key] = nil }
    }

    /// The next piece of a watch, and whether more is there.
    func takeUpdate(of key: RequestKey, limit: Int) -> (update: WatchUpdate, hasMore: Bool)? {
        state.withLock { state in
            guard let update = state.watches[key]?.take(limit: limit) else { return nil }
            return (update, state.watches[key]?.isEmpty == false)
        }
    }
}
