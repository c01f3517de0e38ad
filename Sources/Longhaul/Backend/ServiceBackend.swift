import LonghaulClient
import LonghaulIPC

/// A session that the user's service runs. A connection that ended is opened again, which starts the service if need be.
actor ServiceBackend: SessionBackend {
    /// A service that is about to stop says so; it is asked again so often.
    private static let patience = 6

    private let session: SessionID
    private let environment: [String: String]
    private var connection: ServiceConnection?
    /// Says for as long as the connection lives that the app is here.
    private var attendance: ServiceConnection.Attendance?
    /// One attempt for all who wait: it must not end because one of them does.
    private var opening: Task<Result<ServiceConnection, TransferFailure>, Never>?
    private var isClosed = false

    static func open(
        _ session: SessionID, environment: [String: String]
    ) async throws(TransferFailure) -> ServiceBackend {
        let backend = ServiceBackend(session, environment: environment)
        _ = try await backend.connected()
        return backend
    }

    private init(_ session: SessionID, environment: [String: String]) {
        self.session = session
        self.environment = environment
    }

    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer] {
        // Only a key makes sure that what was kept without an answer is not submitted a second time.
        let mayRepeat = specs.allSatisfy { $0.options.key != nil && $0.options.keyConflict == .keep }
        return try await ask(mayRepeat: mayRepeat) { [session] connection throws(TransferFailure) in
            try await connection.submit(specs, to: session)
        }
    }

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.control(verb, selection, in: session)
        }
    }

    func list(_ query: ListQuery) async throws(TransferFailure) -> ListPage {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.list(query, in: session)
        }
    }

    func show(_ id: TransferID) async throws(TransferFailure) -> TransferDetail {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.show(id, in: session)
        }
    }

    func history(_ id: TransferID) async throws(TransferFailure) -> [HistoryEntry] {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.history(id, in: session)
        }
    }

    func limits() async throws(TransferFailure) -> SessionLimits {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.limits(of: session)
        }
    }

    func setLimits(_ limits: SessionLimits) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.setLimits(limits, of: session)
        }
    }

    func info() async throws(TransferFailure) -> SessionInfo {
        try await ask { [session] connection throws(TransferFailure) in try await connection.info(of: session) }
    }

    func reconcile() async throws(TransferFailure) -> ReconcileReport {
        try await ask { [session] connection throws(TransferFailure) in try await connection.reconcile(session) }
    }

    func setOwnerLossPolicy(_ policy: OwnerLossPolicy) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.setOwnerLossPolicy(policy, of: session)
        }
    }

    func acknowledgeOwnerLoss() async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.acknowledgeOwnerLoss(of: session)
        }
    }

    func rules() async throws(TransferFailure) -> SessionRulesReport {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.rules(of: session)
        }
    }

    func setRules(_ rules: SessionRules) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.setRules(rules, of: session)
        }
    }

    func adjust(
        _ adjustment: TransferAdjustment, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.adjust(adjustment, selection, in: session)
        }
    }

    func conditionsReport() async throws(TransferFailure) -> ConditionsReport {
        try await ask { connection throws(TransferFailure) in try await connection.conditions() }
    }

    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any WatchFeed)? {
        do throws(TransferFailure) {
            return try await connected().openWatch(selection, in: session)
        } catch {
            if isClosed { return nil }
            throw error
        }
    }

    func events(after number: Int64) async throws(TransferFailure) -> EventPage {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.events(after: number, of: session)
        }
    }

    func acknowledgeEvents(through number: Int64) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.acknowledgeEvents(through: number, of: session)
        }
    }

    func wakeStatus() async throws(TransferFailure) -> WakeStatus {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.wakeStatus(of: session)
        }
    }

    func setWake(_ registration: WakeRegistration?) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.setWake(registration, of: session)
        }
    }

    func notifications(_ request: NotificationRequest) async throws(TransferFailure) -> NotificationStatus {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.notifications(request, of: session)
        }
    }

    func attend() async throws(TransferFailure) -> (any NewsFeed)? {
        do throws(TransferFailure) {
            return try await connected().attach(session)
        } catch {
            if isClosed { return nil }
            throw error
        }
    }

    func submitTask(_ request: BackgroundTaskRequest) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.submitTask(request, to: session)
        }
    }

    func cancelTask(_ identifier: String) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.cancelTask(identifier, in: session)
        }
    }

    func cancelAllTasks() async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.cancelAllTasks(in: session)
        }
    }

    func tasks(after identifier: String?) async throws(TransferFailure) -> TaskPage {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.tasks(after: identifier, in: session)
        }
    }

    func forceTask(_ identifier: String) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.forceTask(identifier, in: session)
        }
    }

    func taskReturned(_ report: TaskReturn) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.taskReturned(report, in: session)
        }
    }

    func setTaskSettings(_ settings: BackgroundTaskSettings) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.setTaskSettings(settings, of: session)
        }
    }

    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any TaskFeed)? {
        do throws(TransferFailure) {
            return try await connected().runTasks(runner, of: session)
        } catch {
            if isClosed { return nil }
            throw error
        }
    }

    func stage(_ bytes: [UInt8]) async throws(TransferFailure) -> StagedFile {
        if isClosed { throw .sessionClosed }
        let paths = try LonghaulPaths(environment: environment)
        let layout = SessionLayout(stateDirectory: paths.stateDirectory, session: session)
        return try await Blocking.run { () throws(TransferFailure) in try StagedBody.stage(bytes, in: layout) }
    }

    func provideCredential(
        _ credential: Credential, named name: CredentialName, for url: String
    ) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.provideCredential(credential, named: name, for: url, in: session)
        }
    }

    func setCredentialHelper(_ command: [String]) async throws(TransferFailure) {
        _ = try await ask { [session] connection throws(TransferFailure) in
            try await connection.setCredentialHelper(command, of: session)
        }
    }

    func credentials() async throws(TransferFailure) -> CredentialReport {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.credentials(of: session)
        }
    }

    func replaceURL(of id: TransferID, with url: String, headers: [HeaderField]?) async throws(TransferFailure) {
        try await ask { [session] connection throws(TransferFailure) in
            try await connection.replaceURL(of: id, with: url, headers: headers, in: session)
        }
    }

    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)? {
        do throws(TransferFailure) {
            return try await connected().openCredentialFeed(of: session)
        } catch {
            if isClosed { return nil }
            throw error
        }
    }

    func close() {
        isClosed = true
        attendance = nil
        connection?.close()
        connection = nil
    }

    /// Asks, and asks again after a lost connection if the question may be asked twice. A refusal by a service that is
    /// about to stop says that nothing was done.
    private func ask<Value: Sendable>(
        mayRepeat: Bool = true, _ question: @Sendable (ServiceConnection) async throws(TransferFailure) -> Value
    ) async throws(TransferFailure) -> Value {
        var attempts = 0
        while true {
            let connection = try await connected()
            do throws(TransferFailure) {
                return try await question(connection)
            } catch {
                if isClosed { throw .sessionClosed }
                attempts += 1
                let isLost = connection.hasEnded
                guard error.code == .serviceUnavailable, attempts < Self.patience, mayRepeat || !isLost else {
                    throw error
                }
                // A cancelled task asks once more and is told.
                if !isLost { try? await Task.sleep(for: .milliseconds(20 << attempts)) }
            }
        }
    }

    private func connected() async throws(TransferFailure) -> ServiceConnection {
        if isClosed { throw .sessionClosed }
        if let connection, !connection.hasEnded { return connection }
        let attempt = opening ?? Task { [environment] in await Self.dial(environment) }
        opening = attempt
        let result = await attempt.value
        if opening == attempt { opening = nil }
        let fresh = try result.get()
        if isClosed {
            fresh.close()
            throw .sessionClosed
        }
        connection = fresh
        attendance = fresh.attach(session)
        return fresh
    }

    private static func dial(_ environment: [String: String]) async -> Result<ServiceConnection, TransferFailure> {
        do throws(TransferFailure) {
            return .success(try await ServiceConnection.open(startsService: true, environment: environment))
        } catch {
            return .failure(error)
        }
    }
}

extension ServiceConnection.Watch: WatchFeed {}
extension ServiceConnection.CredentialFeed: CredentialFeed {}
extension ServiceConnection.Attendance: NewsFeed {}
extension ServiceConnection.TaskStream: TaskFeed {}
