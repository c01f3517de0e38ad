/// Background tasks of a session that moves. They are in its store; whoever runs the session gives the runs.
extension MovingBackend {
    func submitTask(_ request: BackgroundTaskRequest) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.submitTask(request) }
    }

    func cancelTask(_ identifier: String) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.cancelTask(identifier) }
    }

    func cancelAllTasks() async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.cancelAllTasks() }
    }

    func tasks(after identifier: String?) async throws(TransferFailure) -> TaskPage {
        try await ask { backend throws(TransferFailure) in try await backend.tasks(after: identifier) }
    }

    func forceTask(_ identifier: String) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.forceTask(identifier) }
    }

    func taskReturned(_ report: TaskReturn) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.taskReturned(report) }
    }

    func setTaskSettings(_ settings: BackgroundTaskSettings) async throws(TransferFailure) {
        try await ask { backend throws(TransferFailure) in try await backend.setTaskSettings(settings) }
    }

    func runTasks(_ runner: TaskRunner) async throws(TransferFailure) -> (any TaskFeed)? {
        await gate.enterCall()
        defer { gate.leaveCall() }
        switch place {
        case .here(let session as any SessionBackend), .there(let session as any SessionBackend):
            guard let feed = try await session.runTasks(runner) else { return nil }
            return MovingStream(backend: self) { () async throws(TransferFailure) in try await feed.next() }
        case .nowhere: return idleStream(of: TaskAssignments.self)
        case .closed: return nil
        }
    }
}
