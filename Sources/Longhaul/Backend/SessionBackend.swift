import LonghaulClient
import LonghaulIPC

/// Whoever has the session's queue and moves its bytes, as the session sees it.
protocol SessionBackend: Sendable {
    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer]
    func control(_ verb: ControlVerb, _ selection: TransferSelection) async throws(TransferFailure) -> ControlAnswer
    /// A page; it may hold fewer than asked for.
    func list(_ query: ListQuery) async throws(TransferFailure) -> ListPage
    func show(_ id: TransferID) async throws(TransferFailure) -> TransferDetail
    func history(_ id: TransferID) async throws(TransferFailure) -> [HistoryEntry]
    func limits() async throws(TransferFailure) -> SessionLimits
    func setLimits(_ limits: SessionLimits) async throws(TransferFailure)
    /// Who runs the session, and whether its app was lost.
    func info() async throws(TransferFailure) -> SessionInfo
    /// Compares records, what moves, and files; repairs what needs no person.
    func reconcile() async throws(TransferFailure) -> ReconcileReport
    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) async throws(TransferFailure)
    func acknowledgeOwnerLoss() async throws(TransferFailure)
    func rules() async throws(TransferFailure) -> SessionRulesReport
    func setRules(_ rules: SessionRules) async throws(TransferFailure)
    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer
    func conditionsReport() async throws(TransferFailure) -> ConditionsReport
    /// Begins a watch; `nil` when the session was closed.
    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any WatchFeed)?
    func events(after number: Int64) async throws(TransferFailure) -> EventPage
    func acknowledgeEvents(through number: Int64) async throws(TransferFailure)
    func wakeStatus() async throws(TransferFailure) -> WakeStatus
    func setWake(_ registration: WakeRegistration?) async throws(TransferFailure)
    func notifications(_ request: NotificationRequest) async throws(TransferFailure) -> NotificationStatus
    /// Begins to hear of events; `nil` when the session was closed.
    func attend() async throws(TransferFailure) -> (any NewsFeed)?
    func submitTask(_ request: BackgroundTaskRequest) async throws(TransferFailure)
    func cancelTask(_ identifier: String) async throws(TransferFailure)
    func cancelAllTasks() async throws(TransferFailure)
    func tasks(after identifier: String?) async throws(TransferFailure) -> TaskPage
    func forceTask(_ identifier: String) async throws(TransferFailure)
    func taskReturned(_ report: TaskReturn) async throws(TransferFailure)
    func setTaskSettings(_ settings: BackgroundTaskSettings) async throws(TransferFailure)
    /// Begins to be given runs; `nil` when the session was closed.
    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any TaskFeed)?
    /// Keeps a body in the session's directory. It is safe from being swept while the answer is held.
    func stage(_ bytes: [UInt8]) async throws(TransferFailure) -> StagedFile
    func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String
    ) async throws(TransferFailure)
    func setCredentialHelper(_ command: [String]) async throws(TransferFailure)
    func credentials() async throws(TransferFailure) -> CredentialReport
    func replaceURL(of id: TransferID, with url: String, headers: [HeaderField]?) async throws(TransferFailure)
    /// Has this process asked for the session's credentials; `nil` when the session was closed.
    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)?
    func close() async
}

/// The questions about a session's credentials, read by one task. Letting go of it ends them.
protocol CredentialFeed: Sendable {
    /// The next question; `nil` when the session was closed or the task cancelled.
    func next() async throws(TransferFailure) -> CredentialQuestion?
    /// Answers a question; `nil` when there is no such credential.
    func answer(_ question: UInt64, _ credential: Credential?)
    /// Ends it now, whatever is still to be answered.
    func end()
}

/// One watch of a session, read by one task. Letting go of it ends it.
protocol WatchFeed: Sendable {
    /// What happened since the last time, merged; `nil` when the session was closed or the task cancelled.
    func next() async throws(TransferFailure) -> WatchUpdate?
}

/// Tells of events, to one task. Letting go of it ends it.
protocol NewsFeed: Sendable {
    /// The number of the newest event: at once the first time, then when it has changed; `nil` when the session was closed
    /// or the task cancelled.
    func next() async throws(TransferFailure) -> Int64?
}

/// Tells which runs of background tasks are this process's, to one task. Letting go of it gives them up.
protocol TaskFeed: Sendable {
    /// At once the first time, then when it has changed; `nil` when the session was closed or the task cancelled.
    func next() async throws(TransferFailure) -> TaskAssignments?
}

extension TransferFailure {
    static let sessionClosed = TransferFailure(
        .invalidState, "The session was closed by this program. Open it again by its identifier.")
}

/// Runs calls that wait for a disk or a lock on threads of their own: Swift's threads must never do that.
enum Blocking {
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TransferFailure) -> Value
    ) async throws(TransferFailure) -> Value {
        let result = await withCheckedContinuation { continuation in
            NativeThread { continuation.resume(returning: Result(catching: body)) }.letGo()
        }
        return try result.get()
    }
}
