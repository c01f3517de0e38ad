import LonghaulCore
import Synchronization

/// The handlers that an app has registered for the tasks of a session.
final class HandlerRegistry: Sendable {
    private struct State {
        var handlers: [String: BackgroundTasks.Handler] = [:]
        var isRunning = false
    }

    private let state = Mutex(State())

    func register(_ identifier: String, _ handler: @escaping BackgroundTasks.Handler) throws(TransferFailure) {
        if let refusal = BackgroundTaskRequest.refusal(ofIdentifier: identifier) { throw refusal }
        let message = state.withLock { state -> String? in
            if state.isRunning {
                return "The handlers are already running. Register handlers before run() or runDue()."
            }
            if state.handlers[identifier] != nil { return "The task \(identifier) already has a handler." }
            state.handlers[identifier] = handler
            return nil
        }
        if let message { throw TransferFailure(.invalidState, message) }
    }

    func handler(of identifier: String) -> BackgroundTasks.Handler? {
        state.withLock { $0.handlers[identifier] }
    }

    /// Returns the tasks that have handlers, or `nil` if the handlers run already.
    func begin() -> [String]? {
        state.withLock { state in
            guard !state.isRunning else { return nil }
            state.isRunning = true
            return state.handlers.keys.sorted()
        }
    }

    func end() {
        state.withLock { $0.isRunning = false }
    }
}
