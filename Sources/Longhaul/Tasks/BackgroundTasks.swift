import LonghaulCore

/// The background tasks of a session: work that the app is started for once, or repeatedly.
///
/// ```swift
/// try session.tasks.register("org.example.storms.noon") { context in
///     let transfer = try await context.session.request("https://weather.example/today")
///     for try await snapshot in transfer.snapshots { print(snapshot.state) }
/// }
/// try await session.tasks.submit(.appRefresh("org.example.storms.noon", repeats: .daily(hour: 12)))
/// try await session.tasks.runDue()
/// ```
///
/// An app does all three at each launch. Requests are stored with the session: they survive the process, the service, and the
/// machine. If a task is due and the app is not running, the service starts the app (``LonghaulCore/WakeRegistration``) with the
/// name of the task in ``LonghaulCore/WakeRequest/task``.
///
/// Each occasion runs once. It runs again only if the process ended during the run, at most three times in total. A handler must
/// therefore tolerate a repetition.
public struct BackgroundTasks: Sendable {
    /// The work of a task. A handler fails by throwing. When its time is over, its Swift task is cancelled;
    /// ``BackgroundTaskContext/cancellationReason`` names the reason.
    public typealias Handler = @Sendable (BackgroundTaskContext) async throws -> Void

    let session: TransferSession

    var backend: any SessionBackend { session.backend }
    var handlers: HandlerRegistry { session.handlers }

    /// Registers the handler of a task. Register every handler at each launch, before ``run()`` or ``runDue()``.
    ///
    /// Fails with `invalidState` if the task has a handler already or the handlers run already, and with `invalidArgument` for an
    /// invalid identifier.
    public func register(_ identifier: String, _ handler: @escaping Handler) throws(TransferFailure) {
        try handlers.register(identifier, handler)
    }

    /// Submits a request in place of the pending one with the same identifier. The request is on disk when this returns.
    ///
    /// A run that is due, forced or to be repeated is kept, so an app can submit its requests at each launch.
    ///
    /// Fails with `invalidArgument` for an invalid identifier or time, and with `tooManyPendingTaskRequests` if the session has too
    /// many requests.
    public func submit(_ request: BackgroundTaskRequest) async throws(TransferFailure) {
        try await backend.submitTask(request)
    }

    /// Cancels the pending request with an identifier, and its repetitions. A handler that is running continues.
    public func cancel(_ identifier: String) async throws(TransferFailure) {
        try await backend.cancelTask(identifier)
    }

    /// Cancels all pending requests.
    public func cancelAll() async throws(TransferFailure) {
        try await backend.cancelAllTasks()
    }

    /// Runs a pending task now, without regard to its time and requirements: for tests and debugging. Fails with `unknownTask` if no
    /// request with the identifier is pending.
    package func force(_ identifier: String) async throws(TransferFailure) {
        try await backend.forceTask(identifier)
    }

    /// Returns the status of every task that is pending or running, and of the last hundred that have ended.
    public func statuses() async throws(TransferFailure) -> [BackgroundTaskStatus] {
        var all: [BackgroundTaskStatus] = []
        var page: TaskPage
        repeat {
            page = try await backend.tasks(after: all.last?.identifier)
            all += page.tasks
        } while page.hasMore
        return all
    }

    /// Returns the pending requests. A request whose handler is running is pending only if it repeats or was submitted again.
    public func pending() async throws(TransferFailure) -> [BackgroundTaskRequest] {
        try await statuses().compactMap(\.request)
    }

    /// Returns how long the app gets no task because its handlers overran or crashed.
    package func throttle() async throws(TransferFailure) -> BackgroundTaskThrottle {
        try await backend.tasks(after: nil).throttle
    }

    package func settings() async throws(TransferFailure) -> BackgroundTaskSettings {
        try await backend.tasks(after: nil).settings
    }

    /// Sets the budgets and limits, which are stored with the session. Runs in progress keep their budget.
    package func setSettings(_ settings: BackgroundTaskSettings) async throws(TransferFailure) {
        try await backend.setTaskSettings(settings)
    }

    /// Runs handlers as their tasks become due, until the Swift task is cancelled or the session is closed. Handlers that are
    /// running then are cancelled with ``BackgroundTaskContext/CancellationReason/appExiting`` and have 5 s to return.
    ///
    /// Fails with `invalidState` if the handlers run already, and with the failure of the session.
    public func run() async throws(TransferFailure) {
        try await drive(returnsWhenIdle: false, farewell: .appExiting)
    }

    /// Runs the tasks that are due, and returns when no more are: for an app that was started for its tasks and then exits.
    public func runDue() async throws(TransferFailure) {
        try await drive(returnsWhenIdle: true, farewell: .appExiting)
    }

    /// Runs the tasks that are due in time that a system has granted. The system withdraws it by cancelling the Swift task.
    package func runDueInLentTime() async throws(TransferFailure) {
        try await drive(returnsWhenIdle: true, farewell: .budgetExpired)
    }

    private func drive(
        returnsWhenIdle: Bool, farewell: BackgroundTaskContext.CancellationReason
    ) async throws(TransferFailure) {
        guard let identifiers = handlers.begin() else {
            throw TransferFailure(.invalidState, "The handlers are already running. Call run() or runDue() only once.")
        }
        defer { handlers.end() }
        let driver = TaskDriver(
            self, identifiers: identifiers, returnsWhenIdle: returnsWhenIdle, farewell: farewell)
        if let failure = await driver.run() { throw failure }
    }
}

extension TransferSession {
    /// The session's background tasks. All values of this property share one set of handlers.
    public var tasks: BackgroundTasks { BackgroundTasks(session: self) }
}
