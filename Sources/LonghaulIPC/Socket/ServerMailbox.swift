package import LonghaulCore
import LonghaulSystem
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

/// Asks for what there is to tell a watcher. The reply comes once, from any thread, with `nil` when there is nothing.
package typealias WatchOffer = @Sendable (_ reply: @escaping @Sendable (WatchUpdate?) -> Void) -> Void

/// Where other threads leave what the server's thread is to send. Whatever is meant for a client that is gone is dropped.
package final class ServerMailbox: Sendable {
    struct Delivery {
        var replies: [(key: RequestKey, message: ServiceMessage)] = []
        /// Watches with something to tell, and how to ask for that.
        var offers: [(key: RequestKey, pull: WatchOffer)] = []
        /// What was asked for, or comes unasked.
        var updates: [(key: RequestKey, update: WatchUpdate?, wasAsked: Bool)] = []
        /// The newest event that each of those who are attached is to be told of.
        var news: [RequestKey: Int64] = [:]
        /// The runs that each of those who have handlers is to be told of.
        var taskRuns: [RequestKey: TaskAssignments] = [:]
        var shouldStop = false
    }

    let wake: WakeSignal
    private let state = Mutex(Delivery())

    package init() throws(TransferFailure) {
        wake = try .required()
    }

    /// Answers a request.
    package func reply(_ message: ServiceMessage, to key: RequestKey) {
        state.withLock { $0.replies.append((key, message)) }
        wake.raise()
    }

    /// Says that there is something to tell a watcher. The server calls `pull` when the client has room for it.
    package func offer(_ pull: @escaping WatchOffer, to key: RequestKey) {
        state.withLock { $0.offers.append((key, pull)) }
        wake.raise()
    }

    /// Sends a watcher an update that was not asked for.
    package func update(_ update: WatchUpdate, to key: RequestKey) {
        put(update, to: key, wasAsked: false)
    }

    /// What a pull has brought; `nil` for nothing.
    func answer(_ update: WatchUpdate?, to key: RequestKey) {
        put(update, to: key, wasAsked: true)
    }

    private func put(_ update: WatchUpdate?, to key: RequestKey, wasAsked: Bool) {
        state.withLock { $0.updates.append((key, update, wasAsked)) }
        wake.raise()
    }

    /// Tells somebody who is attached the number of the newest event; what was not sent yet is replaced.
    package func news(_ newestEvent: Int64, to key: RequestKey) {
        state.withLock { $0.news[key] = newestEvent }
        wake.raise()
    }

    /// Tells somebody who has handlers which runs are its own; what was not sent yet is replaced.
    package func taskRuns(_ assignments: TaskAssignments, to key: RequestKey) {
        state.withLock { $0.taskRuns[key] = assignments }
        wake.raise()
    }

    /// Ends the server's `run`.
    package func stop() {
        state.withLock { $0.shouldStop = true }
        wake.raise()
    }

    func collect() -> Delivery {
        state.withLock { state in
            let delivery = state
            state = Delivery(shouldStop: delivery.shouldStop)
            return delivery
        }
    }
}
