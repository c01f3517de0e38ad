import LonghaulSystem

/// The owner of the session's queue and transfers, as the session sees it.
protocol SessionBackend: Sendable {
    /// Runs a command and returns its reply. Throws if the session refuses the command.
    func send(_ command: SessionCommand) async throws(TransferFailure) -> SessionReply
    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer]
    func control(_ verb: ControlVerb, _ selection: TransferSelection) async throws(TransferFailure) -> ControlAnswer
    func conditionsReport() async throws(TransferFailure) -> ConditionsReport
    /// Returns where the session keeps bodies. Fails if the session is closed.
    func layout() async throws(TransferFailure) -> SessionLayout
    /// Starts a watch, which merges the changes since the last update. `nil` if the session was closed.
    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any SessionFeed<WatchUpdate>)?
    /// Starts to receive the number of the newest event. `nil` if the session was closed.
    func attend() async throws(TransferFailure) -> (any SessionFeed<Int64>)?
    /// Starts to receive the runs of background tasks that are assigned to this process. `nil` if the session was closed.
    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any SessionFeed<TaskAssignments>)?
    /// Starts to receive the session's credential requests; `nil` if the session was closed.
    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)?
    func close() async
}

extension SessionBackend {
    /// Keeps a body in the session's directory. It is not cleaned up while the caller holds the result.
    func stage(_ bytes: [UInt8]) async throws(TransferFailure) -> StagedFile {
        let layout = try await layout()
        return try await Blocking.run { () throws(TransferFailure) in try StagedBody.stage(bytes, in: layout) }
    }

    /// Pins the files of an upload. Copies files of unknown size, and stages bytes. Hold the copies until a record names them.
    func inspecting(
        _ upload: @escaping @Sendable (SourceInspection) throws(TransferFailure) -> UploadSpec
    ) async throws(TransferFailure) -> (UploadSpec, copies: [StagedFile]) {
        let layout = try await layout()
        return try await Blocking.run { () throws(TransferFailure) in
            var copies: [StagedFile] = []
            do throws(TransferFailure) {
                let inspection = SourceInspection(
                    pin: { path throws(TransferFailure) in
                        try SourceFile.inspect(path: path) { file, path throws(TransferFailure) in
                            let copy = try StagedBody.stage(file, named: path, in: layout)
                            copies.append(copy)
                            return copy.source
                        }
                    },
                    stage: { bytes throws(TransferFailure) in
                        let copy = try StagedBody.stage(bytes, in: layout)
                        copies.append(copy)
                        return copy.source
                    })
                return (try upload(inspection), copies)
            } catch {
                for copy in copies { copy.discard() }
                throw error
            }
        }
    }
}

/// A stream of updates to one task: the first is sent at once, later ones when something changes. Releasing the feed ends it.
protocol SessionFeed<Element>: Sendable {
    associatedtype Element: Sendable

    /// Returns the next update; `nil` if the session was closed or the task was cancelled.
    func next() async throws(TransferFailure) -> Element?
}

/// The requests for a session's credentials.
protocol CredentialFeed: SessionFeed<CredentialQuestion> {
    /// Sends the answer to a request; `nil` if there is no such credential.
    func answer(_ question: UInt64, _ credential: Credential?)
    /// Ends the feed now, even if requests are unanswered.
    func end()
}

extension StreamChannel: SessionFeed {}

extension TransferFailure {
    static let sessionClosed = TransferFailure(
        .invalidState, "The session was closed by this program. Open it again by its identifier.")
}

/// Runs calls that block on a disk or a lock on separate threads: Swift's concurrency threads must never block.
enum Blocking {
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(TransferFailure) -> Value
    ) async throws(TransferFailure) -> Value {
        let result = await withCheckedContinuation { continuation in
            NativeThread.detach { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
