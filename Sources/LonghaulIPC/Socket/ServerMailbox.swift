package import LonghaulCore
import LonghaulSystem
import Synchronization

/// Identifies a connected client; never reused.
package struct ClientNumber: Hashable, Sendable {
    package let value: UInt64

    package init(_ value: UInt64) {
        self.value = value
    }
}

/// Identifies one request of one client.
package struct RequestKey: Hashable, Sendable {
    package let client: ClientNumber
    package let number: UInt64

    package init(client: ClientNumber, number: UInt64) {
        self.client = client
        self.number = number
    }
}

/// Requests the next update of a watch. The reply comes once, from any thread; `nil` if there is no update.
package typealias WatchOffer = @Sendable (_ reply: @escaping @Sendable (WatchUpdate?) -> Void) -> Void

/// Messages from other threads that the server's thread is to send. Messages for disconnected clients are dropped.
package final class ServerMailbox: Sendable {
    struct Delivery {
        var replies: [(key: RequestKey, message: ServiceMessage)] = []
        /// Watches with a pending update, and how to request it.
        var offers: [(key: RequestKey, pull: WatchOffer)] = []
        /// Updates, requested or not.
        var updates: [(key: RequestKey, update: WatchUpdate?, wasAsked: Bool)] = []
        /// The newest event for each attached client.
        var news: [RequestKey: Int64] = [:]
        /// The runs for each client with handlers.
        var taskRuns: [RequestKey: TaskAssignments] = [:]
        var shouldStop = false
    }

    let wake: WakeSignal
    private let state = Mutex(Delivery())

    package init() throws(TransferFailure) {
        wake = try .required()
    }

    /// Sends the reply to a request.
    package func reply(_ message: ServiceMessage, to key: RequestKey) {
        state.withLock { $0.replies.append((key, message)) }
        wake.raise()
    }

    /// Announces a pending update of a watch. The server calls `pull` when the client has room for it.
    package func offer(_ pull: @escaping WatchOffer, to key: RequestKey) {
        state.withLock { $0.offers.append((key, pull)) }
        wake.raise()
    }

    /// Sends an update that was not requested.
    package func update(_ update: WatchUpdate, to key: RequestKey) {
        put(update, to: key, wasAsked: false)
    }

    /// Delivers the result of a pull; `nil` for no update.
    func answer(_ update: WatchUpdate?, to key: RequestKey) {
        put(update, to: key, wasAsked: true)
    }

    private func put(_ update: WatchUpdate?, to key: RequestKey, wasAsked: Bool) {
        state.withLock { $0.updates.append((key, update, wasAsked)) }
        wake.raise()
    }

    /// Reports the number of the newest event to an attached client, and replaces an unsent number.
    package func news(_ newestEvent: Int64, to key: RequestKey) {
        state.withLock { $0.news[key] = newestEvent }
        wake.raise()
    }

    /// Reports its runs to a client with handlers, and replaces an unsent report.
    package func taskRuns(_ assignments: TaskAssignments, to key: RequestKey) {
        state.withLock { $0.taskRuns[key] = assignments }
        wake.raise()
    }

    /// Ends the server's `run`.
    package func stop() {
        state.withLock { $0.shouldStop = true }
        wake.raise()
    }

    /// Causes a turn of the server, which calls its housekeeping.
    package func wakeServer() { wake.raise() }

    func collect() -> Delivery {
        state.withLock { state in
            let delivery = state
            state = Delivery(shouldStop: delivery.shouldStop)
            return delivery
        }
    }
}
