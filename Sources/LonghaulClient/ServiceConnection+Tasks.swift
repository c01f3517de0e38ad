package import LonghaulCore
import LonghaulIPC

/// A session's background tasks.
extension ServiceConnection {
    /// Keeps a request; what is pending under its identifier is replaced. Fails with `tooManyPendingTaskRequests` beyond
    /// the session's limits.
    package func submitTask(
        _ request: BackgroundTaskRequest, to session: SessionID
    ) async throws(TransferFailure) {
        // A message that could not be read would end the connection.
        if let refusal = request.refusal { throw refusal }
        try await done(.submitTask(request), session)
    }

    /// Nothing is pending under the identifier any more; what runs goes on.
    package func cancelTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
        try await done(.cancelTask(identifier), session)
    }

    /// Nothing is pending any more.
    package func cancelAllTasks(in session: SessionID) async throws(TransferFailure) {
        try await done(.cancelAllTasks, session)
    }

    /// Runs a pending task at once, whatever holds it back. Fails with `unknownTask` when none is pending.
    package func forceTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
        try await done(.forceTask(identifier), session)
    }

    /// One page of the tasks in order of their identifiers.
    package func tasks(after identifier: String?, in session: SessionID) async throws(TransferFailure) -> TaskPage {
        guard case .tasks(let page) = try await ask(.tasks(after: identifier), of: session) else {
            throw .unexpectedAnswer
        }
        return page
    }

    /// Says how a run ended. It may be said twice.
    package func taskReturned(_ report: TaskReturn, in session: SessionID) async throws(TransferFailure) {
        try await done(.taskReturned(report), session)
    }

    /// Sets how the session treats its tasks.
    package func setTaskSettings(
        _ settings: BackgroundTaskSettings, of session: SessionID
    ) async throws(TransferFailure) {
        try await done(.setTaskSettings(settings), session)
    }

    /// Says that this program has handlers, for as long as the answer is held.
    package func runTasks(_ runner: TaskRunner, of session: SessionID) -> TaskStream {
        TaskStream(self, core.open(.runTasks(session, runner), as: OpenStream.tasks))
    }

    private func done(_ command: SessionCommand, _ session: SessionID) async throws(TransferFailure) {
        guard case .taskDone = try await ask(command, of: session) else { throw .unexpectedAnswer }
    }
}
