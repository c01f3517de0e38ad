import LonghaulCore
import Synchronization

/// The run of a background task, for its handler.
public final class BackgroundTaskContext: Sendable {
    /// Why a handler's Swift task was cancelled.
    @nonexhaustive public enum CancellationReason: Equatable, Sendable {
        /// The handler's time is over (Apple: the expiration handler is called).
        case budgetExpired
        /// The service gave the run up, or gave it to another process.
        case withdrawn
        /// The app cancelled its ``BackgroundTasks/run()`` or ``BackgroundTasks/runDue()``, or closed the session.
        case appExiting
    }

    private struct State {
        var reason: CancellationReason?
        var handlers: [@Sendable (CancellationReason) -> Void] = []
    }

    /// The session of the task.
    public let session: TransferSession
    package let run: BackgroundTaskRun
    private let state = Mutex(State())
    private let deadline: SuspendingClock.Instant

    init(session: TransferSession, run: BackgroundTaskRun) {
        self.session = session
        self.run = run
        deadline = SuspendingClock.now + run.budget
    }

    /// The task's identifier.
    public var identifier: String { run.request.identifier }

    /// The number of this attempt. Above 1, the process of the attempt before ended during the run.
    public var attempt: Int { run.attempt }

    /// When the run started.
    package var startedAt: WallTime { run.startedAt }

    /// How long the handler may still run. Time during which the machine sleeps does not count.
    public var remainingTime: Duration { max(.zero, deadline - SuspendingClock.now) }

    /// Why the handler's Swift task was cancelled; `nil` if it was not.
    public var cancellationReason: CancellationReason? { state.withLock(\.reason) }

    /// Adds a closure to call when the handler's Swift task is cancelled (Apple: `expirationHandler`), or at once if it already
    /// was. The closure must return quickly: the handler has 5 s to return.
    public func onExpiration(_ handler: @escaping @Sendable (CancellationReason) -> Void) {
        let reason = state.withLock { state in
            if state.reason == nil { state.handlers.append(handler) }
            return state.reason
        }
        if let reason { handler(reason) }
    }

    /// Adds a closure to call when the handler's Swift task is cancelled, whatever the reason.
    public func onExpiration(_ handler: @escaping @Sendable () -> Void) {
        onExpiration { (_: CancellationReason) in handler() }
    }

    /// Returns whether this is the first reason, which alone counts.
    func cancel(_ reason: CancellationReason) -> Bool {
        let handlers = state.withLock { state -> [@Sendable (CancellationReason) -> Void]? in
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

package typealias TaskCancellationReason = BackgroundTaskContext.CancellationReason
