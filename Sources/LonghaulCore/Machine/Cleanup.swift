/// What remains to be tidied when a transfer has ended. It is recorded, so a crash only delays it.
extension TransferMachine {
    /// How long a server is asked again to drop an abandoned upload.
    private static let patience = Duration.seconds(3 * 86_400)

    /// Everything outside the record that this transfer may have left.
    var leftovers: Set<CleanupTask> {
        record.spec.leftovers(record.facts.upload, hasSucceeded: record.state == .succeeded)
    }

    /// The recorded tasks, once no step touches the same files any more.
    func cleanupActions() -> [TransferAction] {
        guard step == nil, record.state.isEnded else { return [] }
        let tasks = record.facts.cleanup.subtracting([.record])
        return tasks.sorted { $0.rawValue < $1.rawValue }.map(TransferAction.clean)
    }

    /// Recorded before it is done, so that a retry waits for it.
    mutating func tidy(_ task: CleanupTask) -> [TransferAction] {
        switch record.state {
        case .succeeded, .cancelled:
            record.facts.cleanup.insert(task)
            return cleanupActions()
        // It is needed, or kept for a retry: the transfer was started again after the leftover was seen.
        case .waiting, .running, .awaitingResponse, .paused, .failed: return []
        }
    }

    mutating func cleaned(_ task: CleanupTask, isDone: Bool, at moment: Moment) -> [TransferAction] {
        let waited = moment.now - (record.facts.endedAt ?? record.facts.createdAt)
        // A drive that is away may never come back.
        let isForgotten = record.facts.cleanup.contains(.record) && record.spec.download?.mountPoint != nil
        if isDone || isForgotten || (task == .remoteUpload && waited > Self.patience) {
            record.facts.cleanup.remove(task)
            if task == .partialFile { record.facts.download.files = PartialFiles() }
            if task == .remoteUpload { record.facts.upload.uploadURL = nil }
        }
        return []
    }

    /// Whether nothing but the record itself is left to delete.
    package var isReadyToForget: Bool {
        step == nil && record.state.isEnded && record.facts.cleanup == [.record]
    }

    /// The engine work that does a task; `nil` when there is nothing to do.
    package func work(for task: CleanupTask) -> EngineWork? {
        switch task {
        case .partialFile:
            return .files(.discard(record.facts.download.files.allPaths(of: record.id, in: download.directory)))
        case .stagedBodies: return .files(.discard(record.spec.sources.filter(\.isStaged).map(\.path)))
        case .remoteUpload: return terminationWork()
        case .record: return nil
        }
    }

}

extension TransferSpec {
    fileprivate func leftovers(_ upload: UploadFacts, hasSucceeded: Bool) -> Set<CleanupTask> {
        var tasks: Set<CleanupTask> = []
        switch work {
        case .download: tasks.insert(.partialFile)
        case .upload(.tus):
            if upload.uploadURL != nil, !hasSucceeded, upload.tus?.extensions.contains("termination") ?? false {
                tasks.insert(.remoteUpload)
            }
        case .upload, .request: break
        }
        if sources.contains(where: \.isStaged) { tasks.insert(.stagedBodies) }
        return tasks
    }
}

extension EngineEvent {
    /// Whether it is the answer to a cleanup job, and means that the job is done.
    package var hasCleaned: Bool {
        switch self {
        case .discarded(.success): return true
        case .exchangeEnded(let outcome):
            guard let status = outcome.head?.status else { return false }
            // Gone already, or a server that cannot: nothing more can be done (tus termination).
            return (200..<300).contains(status) || [404, 405, 410, 501].contains(status)
        case .discarded, .receiving, .head, .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint,
            .parts, .places, .connectionsWanted, .heads,
            .sourcesInspected,
            .partialMeasured, .piecesChecked, .placed:
            return false
        }
    }
}
