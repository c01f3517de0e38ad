import Synchronization

/// The handlers that an app has declared.
final class HandlerDesk: Sendable {
    private struct State {
        var handlers: [String: BackgroundTasks.Handler] = [:]
        var isRunning = false
    }

    private let state = Mutex(State())

    func register(_ identifier: String, _ handler: @escaping BackgroundTasks.Handler) {
        state.withLock { state in
            precondition(!state.isRunning, "Declare the handler of \(identifier) before run() or runDue().")
            precondition(state.handlers[identifier] == nil, "\(identifier) has a handler already.")
            state.handlers[identifier] = handler
        }
    }

    func handler(of identifier: String) -> BackgroundTasks.Handler? {
        state.withLock { $0.handlers[identifier] }
    }

    /// What there are handlers for; `nil` when they are run already.
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
