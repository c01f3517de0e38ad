import LonghaulCore
import LonghaulStore

/// What clients and processes with handlers say of background tasks, and what the clock does.
extension SessionLoop {
    /// How many tasks one answer holds.
    private static let pageSize = 1_000

    func cancelAllTasks() throws(TransferFailure) -> SessionReply {
        try feedTasks(.cancelled) { $0.pending != nil || $0.owed != nil }
        return .taskDone
    }

    func tasks(after identifier: String?) throws(TransferFailure) -> TaskPage {
        let records = try store.tasks(after: identifier, limit: Self.pageSize + 1)
        return session.taskPage(records.prefix(Self.pageSize), hasMore: records.count > Self.pageSize, at: now)
    }

    func forceTask(_ identifier: String) throws(TransferFailure) -> SessionReply {
        guard let record = try store.task(identifier), record.nextRequest != nil else {
            return .failed(BackgroundTaskRequest.unknown(identifier))
        }
        return try refusal(of: .task(identifier, record, .forced)) ?? .taskDone
    }

    /// The clock was set, or the time zone changed.
    func noteClockChange() throws(TransferFailure) {
        try feedTasks(.clockChanged) { $0.pending?.request.repeats != nil }
        try feed(.clockChanged)
    }

    /// What has come due is noted, runs whose time is over are given up, what lost processes left is submitted, and what nothing
    /// holds back is begun.
    func advanceTasks() throws(TransferFailure) {
        try apply(session.ring(at: now))
        try apply(session.beginTasks(at: now))
    }

    private func feedTasks(
        _ event: BackgroundTaskMachine.Event, where isMeant: (BackgroundTaskRecord) -> Bool
    ) throws(TransferFailure) {
        var records: [BackgroundTaskRecord] = []
        try store.forEachTask { if isMeant($0) { records.append($0) } }
        for record in records { try feed(.task(record.identifier, record, event)) }
    }
}
