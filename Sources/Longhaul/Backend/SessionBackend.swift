import LonghaulClient
import LonghaulIPC
import LonghaulSystem

/// Whoever has the session's queue and moves its bytes, as the session sees it.
protocol SessionBackend: Sendable {
    /// Answers one command; what it refuses is thrown.
    func ask(_ command: SessionCommand) async throws(TransferFailure) -> SessionReply
    func submit(_ specs: [TransferSpec]) async throws(TransferFailure) -> [SubmissionAnswer]
    func control(_ verb: ControlVerb, _ selection: TransferSelection) async throws(TransferFailure) -> ControlAnswer
    func conditionsReport() async throws(TransferFailure) -> ConditionsReport
    /// Returns where the session keeps bodies. Fails when the session is closed.
    func layout() async throws(TransferFailure) -> SessionLayout
    /// Begins a watch: what happened since the last time, merged. `nil` when the session was closed.
    func watch(_ selection: TransferSelection) async throws(TransferFailure) -> (any SessionFeed<WatchUpdate>)?
    /// Begins to hear of events: the number of the newest one. `nil` when the session was closed.
    func attend() async throws(TransferFailure) -> (any SessionFeed<Int64>)?
    /// Begins to be given runs of background tasks: those that are this process's. `nil` when the session was closed.
    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any SessionFeed<TaskAssignments>)?
    /// Has this process asked for the session's credentials; `nil` when the session was closed.
    func credentialFeed() async throws(TransferFailure) -> (any CredentialFeed)?
    func close() async
}

extension SessionBackend {
    /// Keeps a body in the session's directory. It is not swept while the answer is held.
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

/// What a session tells one task: at once the first time, then when there is something new. Letting go of it ends it.
protocol SessionFeed<Element>: Sendable {
    associatedtype Element: Sendable

    /// `nil` when the session was closed or the task cancelled.
    func next() async throws(TransferFailure) -> Element?
}

/// The questions about a session's credentials.
protocol CredentialFeed: SessionFeed<CredentialQuestion> {
    /// Answers a question; `nil` when there is no such credential.
    func answer(_ question: UInt64, _ credential: Credential?)
    /// Ends it now, whatever is still to be answered.
    func end()
}

extension StreamChannel: SessionFeed {}
extension ConnectionStream: SessionFeed {}
extension ConnectionStream: CredentialFeed where Buffer == WaitingLine<CredentialQuestion> {}

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
            NativeThread.detach { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
