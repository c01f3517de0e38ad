import LonghaulCore
import Synchronization

/// What a handler knows of its run.
public final class BackgroundTaskContext: Sendable {
    /// The session whose task it is.
    public let session: TransferSession
    /// The run: what was asked for, when it began, which try it is.
    public let run: BackgroundTaskRun

    private struct State {
        var reason: TaskCancellationReason?
        var handlers: [@Sendable (TaskCancellationReason) -> Void] = []
    }

    private let state = Mutex(State())
    private let deadline: SuspendingClock.Instant

    init(session: TransferSession, run: BackgroundTaskRun) {
        self.session = session
        self.run = run
        deadline = SuspendingClock.now + run.budget
    }

    /// The task's identifier.
    public var identifier: String { run.request.identifier }

    /// How long the handler may still run. Time that the machine sleeps does not count.
    public var remainingTime: Duration { max(.zero, deadline - SuspendingClock.now) }

    /// Why the Swift task was cancelled; `nil` while it is not.
    public var cancellationReason: TaskCancellationReason? { state.withLock(\.reason) }

    /// Adds what is called when the Swift task is cancelled, at once if it was (Apple: `expirationHandler`). It must be
    /// quick: the grace has begun.
    public func onExpiration(_ handler: @escaping @Sendable (TaskCancellationReason) -> Void) {
        let reason = state.withLock { state in
            if state.reason == nil { state.handlers.append(handler) }
            return state.reason
        }
        if let reason { handler(reason) }
    }

    /// Only the first reason counts; whether this was it.
    func cancel(_ reason: TaskCancellationReason) -> Bool {
        let handlers = state.withLock { state -> [@Sendable (TaskCancellationReason) -> Void]? in
            guard state.reason == nil else { return nil }
            state.reason = reason
            defer { state.handlers = [] }
            return state.handlers
        }
        guard let handlers else { return false }
        for handler in handlers { handler(reason) }
        return true
    }
}
