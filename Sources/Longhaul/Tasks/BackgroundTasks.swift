import LonghaulCore

/// Work that the app is started for: at a date, again and again, when a network is there.
///
/// ```swift
/// let tasks = BackgroundTasks(session)
/// tasks.register("org.example.storms.noon") { context in
///     let answer = try await context.session.data(for: DataRequest("https://weather.example/today"))
///     try await storms.note(answer.body)
/// }
/// try await tasks.submit(.appRefresh("org.example.storms.noon", repeats: .daily(hour: 12)))
/// try await tasks.run()
/// ```
///
/// Requests are kept with the session: they survive this process, the service and the machine. When one is due and the app
/// is not there, the service starts it (``LonghaulCore/WakeRegistration``) with the reason
/// ``LonghaulCore/WakeReason/backgroundTask``; the app declares its handlers and calls ``runDue()``.
///
/// Each occasion is run once, and again only if the process ended in the middle of it: three times at most. So a handler does
/// well to be harmless when done twice.
public final class BackgroundTasks: Sendable {
    /// What is done when a task is due. It fails by throwing. When its time is over its Swift task is cancelled;
    /// ``BackgroundTaskContext/cancellationReason`` says why.
    public typealias Handler = @Sendable (BackgroundTaskContext) async throws -> Void

    let session: TransferSession
    let desk = HandlerDesk()

    var backend: any SessionBackend { session.backend }

    /// The tasks of a session.
    public init(_ session: TransferSession) {
        self.session = session
    }

    /// Declares what is done for a task. Declare every handler before ``run()`` or ``runDue()``, at every launch: the
    /// program stops when one is declared too late, or twice.
    public func register(_ identifier: String, _ handler: @escaping Handler) {
        desk.register(identifier, handler)
    }

    /// Asks for a task; what is pending under its identifier is replaced. It is on disk when this returns.
    ///
    /// Fails with `invalidArgument` for an identifier or a time of day that cannot be one, and with
    /// `tooManyPendingTaskRequests` beyond the session's limits.
    public func submit(_ request: BackgroundTaskRequest) async throws(TransferFailure) {
        try await backend.submitTask(request)
    }

    /// Forgets what is pending under an identifier, also what comes again by itself. A handler that runs goes on.
    public func cancel(_ identifier: String) async throws(TransferFailure) {
        try await backend.cancelTask(identifier)
    }

    /// Forgets everything that is pending.
    public func cancelAll() async throws(TransferFailure) {
        try await backend.cancelAllTasks()
    }

    /// Runs a pending task at once, whatever holds it back: for tests and debugging. Fails with `unknownTask` when none is
    /// pending under the identifier.
    public func force(_ identifier: String) async throws(TransferFailure) {
        try await backend.forceTask(identifier)
    }

    /// How every task stands: those that are pending or running, and the last hundred that have nothing more to do.
    public func statuses() async throws(TransferFailure) -> [BackgroundTaskStatus] {
        var all: [BackgroundTaskStatus] = []
        var page: TaskPage
        repeat {
            page = try await backend.tasks(after: all.last?.identifier)
            all += page.tasks
        } while page.hasMore
        return all
    }

    /// What is pending.
    public func pendingRequests() async throws(TransferFailure) -> [BackgroundTaskRequest] {
        try await statuses().compactMap(\.request)
    }

    /// Whether the app is given no tasks for a while, because its handlers overran or crashed.
    package func throttle() async throws(TransferFailure) -> BackgroundTaskThrottle {
        try await backend.tasks(after: nil).throttle
    }

    /// Budgets, limits and throttle times.
    public func settings() async throws(TransferFailure) -> BackgroundTaskSettings {
        try await backend.tasks(after: nil).settings
    }

    /// Changes budgets, limits and throttle times; they are kept with the session. Runs that have begun keep their budget.
    public func setSettings(_ settings: BackgroundTaskSettings) async throws(TransferFailure) {
        try await backend.setTaskSettings(settings)
    }

    /// Runs handlers as their tasks come due, until the Swift task is cancelled or the session closed. Handlers that run then
    /// are cancelled with ``LonghaulCore/TaskCancellationReason/appLeaving`` and waited for, for as long as their grace is.
    ///
    /// Fails with `invalidState` when it runs already, and with what the session fails with.
    public func run() async throws(TransferFailure) {
        try await drive(returnsWhenIdle: false, farewell: .appLeaving)
    }

    /// Runs what is due now and returns when nothing more is: for an app that was started for its tasks, which then ends.
    public func runDue() async throws(TransferFailure) {
        try await drive(returnsWhenIdle: true, farewell: .appLeaving)
    }

    /// The same in the time that a system has lent: when it takes that back, the Swift task is cancelled.
    package func runDueInLentTime() async throws(TransferFailure) {
        try await drive(returnsWhenIdle: true, farewell: .budgetExpired)
    }

    private func drive(returnsWhenIdle: Bool, farewell: TaskCancellationReason) async throws(TransferFailure) {
        guard let identifiers = desk.begin() else {
            throw TransferFailure(.invalidState, "The handlers are being run already. Call run() or runDue() once.")
        }
        defer { desk.end() }
        let driver = TaskDriver(
            self, identifiers: identifiers, returnsWhenIdle: returnsWhenIdle, farewell: farewell)
        if let failure = await driver.run() { throw failure }
    }
}
