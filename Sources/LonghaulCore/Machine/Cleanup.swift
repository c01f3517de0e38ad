/// Cleanup after the end of a transfer. The tasks are recorded, so a crash only delays them.
extension TransferMachine {
    /// How long to ask a server again to delete an abandoned upload.
    private static let patience = Duration.seconds(3 * 86_400)

    /// Cleanup tasks for everything outside the record that this transfer may have left.
    var leftovers: Set<CleanupTask> {
        record.spec.leftovers(record.facts.upload, hasSucceeded: record.state == .succeeded)
    }

    /// Returns the recorded tasks, unless a step still uses the same files.
    func cleanupActions() -> [TransferAction] {
        guard step == nil, record.state.isEnded else { return [] }
        let tasks = record.facts.cleanup.subtracting([.record])
        return tasks.sorted { $0.rawValue < $1.rawValue }.map(TransferAction.clean)
    }

    /// Records a task before it runs, so that a retry waits for it.
    mutating func tidy(_ task: CleanupTask) -> [TransferAction] {
        switch record.state {
        case .succeeded, .cancelled:
            record.facts.cleanup.insert(task)
            return cleanupActions()
        // The files are in use, or kept for a retry: the transfer restarted after the orphaned file was found.
        case .waiting, .running, .awaitingResponse, .paused, .failed: return []
        }
    }

    mutating func cleaned(_ task: CleanupTask, isDone: Bool, at moment: Moment) -> [TransferAction] {
        let waited = moment.now - (record.facts.endedAt ?? record.facts.createdAt)
        // A removed drive may never return.
        let isForgotten = record.facts.cleanup.contains(.record) && record.spec.download?.mountPoint != nil
        if isDone || isForgotten || (task == .remoteUpload && waited > Self.patience) {
            record.facts.cleanup.remove(task)
            if task == .partialFile { record.facts.download.files = PartialFiles() }
            if task == .remoteUpload { record.facts.upload.uploadURL = nil }
        }
        return []
    }

    /// Whether only the record itself remains to be deleted.
    package var isReadyToForget: Bool {
        step == nil && record.state.isEnded && record.facts.cleanup == [.record]
    }

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
    /// Whether the event ends a cleanup job successfully.
    package var hasCleaned: Bool {
        switch self {
        case .discarded(nil): return true
        case .exchangeEnded(let outcome):
            guard let status = outcome.head?.status else { return false }
            // The upload is gone already, or the server does not support termination. Nothing more can be done (tus "Termination").
            return (200..<300).contains(status) || [404, 405, 410, 501].contains(status)
        case .discarded, .receiving, .head, .lastBytesHeld, .bodySent, .allowanceUsed, .sharesConnections, .checkpoint,
            .parts, .places, .connectionsWanted, .heads,
            .sourcesInspected,
            .partialMeasured, .piecesChecked, .placed:
            return false
        }
    }
}
