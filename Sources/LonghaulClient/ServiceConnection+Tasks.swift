package import LonghaulCore
import LonghaulIPC

/// A session's background tasks.
extension ServiceConnection {
    /// Stores a request, and replaces a pending one with the same identifier. Fails with `tooManyPendingTaskRequests`
    /// beyond the session's limits.
    package func submitTask(
        _ request: BackgroundTaskRequest, to session: SessionID
    ) async throws(TransferFailure) {
        // The service would end the connection if it could not decode the message.
        if let refusal = request.refusal { throw refusal }
        try await done(.submitTask(request), session)
    }

    /// Cancels the pending request with the identifier; a running task continues.
    package func cancelTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
        try await done(.cancelTask(identifier), session)
    }

    /// Cancels all pending requests.
    package func cancelAllTasks(in session: SessionID) async throws(TransferFailure) {
        try await done(.cancelAllTasks, session)
    }

    /// Runs a pending task at once, regardless of its conditions. Fails with `unknownTask` if none is pending.
    package func forceTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
        try await done(.forceTask(identifier), session)
    }

    /// Returns one page of the tasks in order of their identifiers.
    package func tasks(after identifier: String?, in session: SessionID) async throws(TransferFailure) -> TaskPage {
        guard case .tasks(let page) = try await send(.tasks(after: identifier), of: session) else {
            throw .unexpectedAnswer
        }
        return page
    }

    /// Reports how a run ended. May be repeated.
    package func taskReturned(_ report: TaskReturn, in session: SessionID) async throws(TransferFailure) {
        try await done(.taskReturned(report), session)
    }

    /// Sets how the session treats its tasks.
    package func setTaskSettings(
        _ settings: BackgroundTaskSettings, of session: SessionID
    ) async throws(TransferFailure) {
        try await done(.setTaskSettings(settings), session)
    }

    /// Registers this program's handlers for as long as the result is held.
    package func runTasks(_ runner: TaskRunner, of session: SessionID) -> TaskStream {
        TaskStream(self, core.open(.runTasks(session, runner), as: OpenStream.tasks))
    }

    private func done(_ command: SessionCommand, _ session: SessionID) async throws(TransferFailure) {
        guard case .taskDone = try await send(command, of: session) else { throw .unexpectedAnswer }
    }
}
