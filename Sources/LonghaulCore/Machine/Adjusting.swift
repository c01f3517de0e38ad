/// Application of a change to a record.
extension TransferAdjustment {
    /// Whether the change only gives another destination to an ended transfer that can be retried.
    private func applies(toEnded record: TransferRecord) -> Bool {
        guard record.state != .succeeded, !record.facts.cleanup.contains(.record) else { return false }
        var change = TransferAdjustment()
        (change.destination, change.retries) = (destination, retries)
        return destination != nil && self == change
    }

    /// Changes the record. Returns a failure if the change cannot be applied.
    func apply(to record: inout TransferRecord, at now: WallTime) -> TransferFailure? {
        if record.state.isEnded, !applies(toEnded: record) {
            return TransferFailure(.invalidState, "The transfer has ended and cannot be changed.")
        }
        do throws(TransferFailure) {
            let spec = try spec(of: record)
            let former = record.spec.download?.directory
            if spec != record.spec {
                record.facts.changes.recordChange(record.spec, replacedBy: spec)
                record.spec = spec
            }
            if let former, former != spec.download?.directory { record.facts.leaveDirectory(former) }
        } catch {
            return error
        }
        if earliestBeginDate != nil || timeoutIntervalForResource != nil {
            record.facts.deadline = record.spec.options.deadline(from: now)
        }
        if let rateLimit { record.facts.changes.rateLimit = rateLimit }
        if let priority { record.facts.changes.priority = priority }
        if let ignoresConditions { record.facts.ignoresConditions = ignoresConditions }
        if earliestBeginDate != nil { record.facts.startsAtOnce = false }
        return nil
    }

    /// Returns the changed spec. Fails if the transfer is too far along for the change.
    private func spec(of record: TransferRecord) throws(TransferFailure) -> TransferSpec {
        var spec = record.spec
        if let earliestBeginDate {
            guard !record.state.holdsBegin else {
                throw TransferFailure(
                    .invalidState,
                    "The transfer has already started: only a waiting transfer can get another start time.")
            }
            spec.options.earliestBeginDate = earliestBeginDate == Self.noBeginDate ? nil : earliestBeginDate
        }
        if let predecessor {
            guard predecessor.id == nil || !record.state.holdsBegin else {
                throw TransferFailure(
                    .invalidState, "The transfer is running. Pause it to start it after another transfer.")
            }
            spec.options.predecessor = predecessor.id
            spec.options.followsFailure = predecessor.id != nil && predecessor.followsFailure
        }
        if let retryLimit {
            spec.options.retryLimit = retryLimit
            spec.options.unknownHostRetryLimit = nil
        }
        if let timeoutIntervalForResource { spec.options.timeoutIntervalForResource = timeoutIntervalForResource }
        if let progressTimeout { spec.options.progressTimeout = progressTimeout > .zero ? progressTimeout : nil }
        if let destination { spec.download = try moved(to: destination, record) }
        if let group { spec.options.group = group }
        if let conditions { spec.options.conditions = conditions }
        if let segments { spec.options.segments = segments > 0 ? segments : nil }
        if let notifications { spec.options.notifications = notifications }
        if let wakesAppWhenFinished { spec.options.wakesAppWhenFinished = wakesAppWhenFinished }
        if makesAttended { spec.options.isAttended = true }
        if spec != record.spec { try TransferRecord.check(spec) }
        return spec
    }

    private func moved(
        to destination: Destination, _ record: TransferRecord
    ) throws(TransferFailure) -> DownloadSpec {
        guard var download = record.spec.download, !download.isFollowed else {
            throw TransferFailure(.invalidState, "Only a download can get another file.")
        }
        guard record.state != .running(.verifying) else {
            throw TransferFailure(.invalidState, "The download is complete and is being moved into place.")
        }
        guard download.unchangedSince == nil, download.existing == nil, download.foreign == nil, !download.repairs
        else {
            throw TransferFailure(
                .invalidState, "The download updates an existing file. Cancel it, and submit it with another name."
            )
        }
        if destination.directory != download.directory {
            // A running exchange writes to the partial file by its path.
            guard !record.state.holdsBegin else {
                throw TransferFailure(
                    .invalidState, "The download is running in \(download.directory). Pause it to move it elsewhere.")
            }
            download.directory = destination.directory
            download.mountPoint = destination.mountPoint
        }
        guard let name = destination.fileName else { return download }
        download.fileName = name
        // If a file with the chosen name exists, fail instead of adding a number.
        if download.collision == .number { download.collision = .fail }
        return download
    }
}

extension TransferState {
    /// Whether an attempt is in progress.
    fileprivate var holdsBegin: Bool {
        switch self {
        case .running, .awaitingResponse: true
        case .waiting, .paused, .succeeded, .failed, .cancelled: false
        }
    }
}

extension TransferSpec {
    /// Returns the history entry for a change of the spec.
    func historyLine(since earlier: TransferSpec) -> HistoryLine {
        guard url == earlier.url, headers == earlier.headers else {
            return HistoryLine(event: "replaced", detail: (try? TransferURL(parsing: url).redacted) ?? "")
        }
        if let download,
            download.directory != earlier.download?.directory
                || download.fileName != earlier.download?.fileName
        {
            return HistoryLine(event: "changed", detail: "to " + (download.namedPath ?? download.directory))
        }
        return HistoryLine(event: "changed", detail: "options")
    }
}
