import LonghaulClient
import LonghaulCore
import LonghaulIPC
import LonghaulSystem

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
        let specs = mayRepeat ? specs.map { $0.restartingEnded(before: SystemClock.wallTime()) } : specs
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

    func conditionsReport() async throws(TransferFailure) -> ConditionsReport {
        try await ask { connection throws(TransferFailure) in try await connection.conditions() }
    }

    func ask(_ command: SessionCommand) async throws(TransferFailure) -> SessionReply {
        try await ask { [session] connection throws(TransferFailure) in try await connection.ask(command, of: session) }
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

    /// Begins a stream; `nil` when this was closed.
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

extension TransferSpec {
    /// The same, which restarts nothing that ends after the time when it is submitted first.
    fileprivate func restartingEnded(before now: WallTime) -> TransferSpec {
        var spec = self
        if spec.options.restartsEndedBefore == nil { spec.options.restartsEndedBefore = now }
        return spec
    }
}
