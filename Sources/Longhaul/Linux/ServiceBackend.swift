import LonghaulClient
import LonghaulCore
import LonghaulSystem

/// A session that the user's service runs. A lost connection is reopened, which starts the service if necessary.
actor ServiceBackend: SessionBackend {
    /// How often a call is repeated while the service reports that it is about to stop.
    private static let patience = 6

    private let session: SessionID
    private let environment: [String: String]
    private var connection: ServiceConnection?
    /// Marks the app as present for as long as the connection lives.
    private var attendance: ServiceConnection.Attendance?
    /// A single attempt, shared by all callers. It must not end because one of them is cancelled.
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
        // Only a key guarantees that a submission whose reply was lost is not submitted twice.
        let mayRepeat = specs.allSatisfy { $0.options.key != nil && $0.options.keyConflict == .keep }
        let specs = mayRepeat ? specs.map { $0.restartingEnded(before: SystemClock.wallTime()) } : specs
        return try await query(mayRepeat: mayRepeat) { [session] connection throws(TransferFailure) in
            try await connection.submit(specs, to: session)
        }
    }

    func control(
        _ verb: ControlVerb, _ selection: TransferSelection
    ) async throws(TransferFailure) -> ControlAnswer {
        try await query { [session] connection throws(TransferFailure) in
            try await connection.control(verb, selection, in: session)
        }
    }

    func conditionsReport() async throws(TransferFailure) -> ConditionsReport {
        try await query { connection throws(TransferFailure) in try await connection.conditions() }
    }

    func send(_ command: SessionCommand) async throws(TransferFailure) -> SessionReply {
        try await query { [session] connection throws(TransferFailure) in
            try await connection.send(command, of: session)
        }
    }

    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any SessionFeed<WatchUpdate>)? {
        try await begin { [session] in $0.openWatch(selection, in: session) }
    }

    func attend() async throws(TransferFailure) -> (any SessionFeed<Int64>)? {
        try await begin { [session] in $0.attach(session) }
    }

    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any SessionFeed<TaskAssignments>)? {
        try await begin { [session] in $0.runTasks(runner, of: session) }
    }

    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)? {
        try await begin { [session] in $0.openCredentialFeed(of: session) }
    }

    func layout() throws(TransferFailure) -> SessionLayout {
        if isClosed { throw .sessionClosed }
        return SessionLayout(
            stateDirectory: try LonghaulPaths(environment: environment).stateDirectory, session: session)
    }

    func close() {
        isClosed = true
        attendance = nil
        connection?.close()
        connection = nil
    }

    /// Opens a stream; `nil` if this backend was closed.
    private func begin<Buffer>(
        _ open: (ServiceConnection) -> ConnectionStream<Buffer>
    ) async throws(TransferFailure) -> ConnectionStream<Buffer>? {
        do throws(TransferFailure) {
            return open(try await connected())
        } catch {
            if isClosed { return nil }
            throw error
        }
    }

    /// Sends a request, and repeats it after a lost connection if the request is idempotent. A service that refuses
    /// because it is about to stop has done nothing.
    private func query<Value: Sendable>(
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
                // In a cancelled task, the sleep ends at once and the next attempt throws.
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

extension TransferSpec {
    /// Returns this spec so that it does not restart a transfer that ends after its first submission.
    fileprivate func restartingEnded(before now: WallTime) -> TransferSpec {
        var spec = self
        if spec.options.restartsEndedBefore == nil { spec.options.restartsEndedBefore = now }
        return spec
    }
}

/// A session of the service is never moved, whatever the app does.
extension ServiceBackend: SessionMover {
    func handOver(
        by deadline: ContinuousClock.Instant, while isWanted: @escaping @Sendable () -> Bool
    ) async -> HandoffReport {
        HandoffReport(.unchanged)
    }

    func interrupt() async {}

    func comeBack() async -> HandoffReport { HandoffReport(.unchanged) }
}

extension ConnectionStream: SessionFeed {}
extension ConnectionStream: CredentialFeed where Buffer == WaitingLine<CredentialQuestion> {}
