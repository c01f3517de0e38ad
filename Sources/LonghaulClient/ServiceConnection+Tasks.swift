public import LonghaulCore

/// A session's background tasks.
extension ServiceConnection {
    /// Keeps a request; what is pending under its identifier is replaced. Fails with `tooManyPendingTaskRequests` beyond
    /// the session's limits.
    public func submitTask(
        _ request: BackgroundTaskRequest, to session: SessionID
    ) async throws(TransferFailure) {
        // A message that could not be read would end the connection.
        if let refusal = request.refusal { throw refusal }
        try await done(.submitTask(request), session)
    }

    /// Nothing is pending under the identifier any more; what runs goes on.
    public func cancelTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
        try await done(.cancelTask(identifier), session)
    }

    /// Nothing is pending any more.
    public func cancelAllTasks(in session: SessionID) async throws(TransferFailure) {
        try await done(.cancelAllTasks, session)
    }

    /// Runs a pending task at once, whatever holds it back. Fails with `unknownTask` when none is pending.
    public func forceTask(_ identifier: String, in session: SessionID) async throws(TransferFailure) {
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
        let (number, channel) = core.runTasks(session, runner)
        return TaskStream(connection: self, number: number, channel: channel)
    }

    private func done(_ command: SessionCommand, _ session: SessionID) async throws(TransferFailure) {
        guard case .taskDone = try await ask(command, of: session) else { throw .unexpectedAnswer }
    }

    /// Keeps the connection and tells which runs are this program's; letting go of it says that the handlers are gone.
    package final class TaskStream: Sendable {
        private let connection: ServiceConnection
        private let number: UInt64
        private let channel: NewsChannel<TaskAssignments>

        fileprivate init(connection: ServiceConnection, number: UInt64, channel: NewsChannel<TaskAssignments>) {
            self.connection = connection
            self.number = number
            self.channel = channel
        }

        /// The runs that are this program's: the first time at once, then when they have changed.
        package func next() async throws(TransferFailure) -> TaskAssignments? {
            try await channel.next().get()
        }

        deinit {
            connection.core.unwatch(number)
        }
    }
}
