/// What a change of a waiting transfer makes of what was asked for.
extension TransferAdjustment {
    /// Changes the record, or says why nothing of it is changed.
    func apply(to record: inout TransferRecord, at now: WallTime) -> TransferFailure? {
        do throws(TransferFailure) {
            let spec = try spec(of: record)
            if spec != record.spec { record.spec = spec }
        } catch {
            return error
        }
        if earliestBeginDate != nil || timeoutIntervalForResource != nil {
            record.facts.deadline = record.spec.options.deadline(from: now)
        }
        if let rateLimit { record.facts.rateLimit = rateLimit }
        if let priority { record.facts.priority = priority }
        if let ignoresConditions { record.facts.ignoresConditions = ignoresConditions }
        if earliestBeginDate != nil { record.facts.startsAtOnce = false }
        return nil
    }

    /// What is asked for from now on, or why that cannot be changed any more.
    private func spec(of record: TransferRecord) throws(TransferFailure) -> TransferSpec {
        var spec = record.spec
        if let earliestBeginDate {
            guard !record.state.holdsBegin else {
                throw TransferFailure(
                    .invalidState, "The transfer has its turn already: only one that waits gets another date.")
            }
            spec.options.earliestBeginDate = earliestBeginDate
        }
        if let retryLimit {
            spec.options.retryLimit = retryLimit
            spec.options.unknownHostRetryLimit = nil
        }
        if let timeoutIntervalForResource { spec.options.timeoutIntervalForResource = timeoutIntervalForResource }
        if let progressTimeout { spec.options.progressTimeout = progressTimeout > .zero ? progressTimeout : nil }
        if let destination { spec.download = try moved(to: destination, record) }
        if let group { spec.options.group = group }
        if makesAttended { spec.options.isAttended = true }
        if spec != record.spec { try TransferRecord.check(spec) }
        return spec
    }

    private func moved(
        to destination: Destination, _ record: TransferRecord
    ) throws(TransferFailure) -> DownloadSpec {
        guard var download = record.spec.download, !download.isFollowed else {
            throw TransferFailure(.invalidState, "Only a download goes to a file.")
        }
        guard record.state != .running(.verifying) else {
            throw TransferFailure(.invalidState, "The download is complete and is getting its name.")
        }
        guard download.unchangedSince == nil, download.existing == nil, download.foreign == nil, !download.repairs
        else {
            throw TransferFailure(
                .invalidState, "The download is about a file that is there. Cancel it, and submit it with another name."
            )
        }
        if destination.directory != download.directory {
            // The partial file lies beside its destination.
            guard !record.state.holdsBegin, record.facts.download.validators == nil,
                record.facts.download.files == PartialFiles()
            else {
                throw TransferFailure(
                    .invalidState, "The download has begun in \(download.directory): it can get another name there.")
            }
            download.directory = destination.directory
            download.mountPoint = destination.mountPoint
        }
        guard let name = destination.fileName else { return download }
        download.fileName = name
        // The name was chosen, and what has it was not to be replaced.
        if download.collision == .number { download.collision = .fail }
        return download
    }
}

extension TransferState {
    /// Whether it is under way.
    fileprivate var holdsBegin: Bool {
        switch self {
        case .running, .awaitingResponse: true
        case .waiting, .paused, .succeeded, .failed, .cancelled: false
        }
    }
}

extension TransferSpec {
    /// What the history says of having become this.
    func historyLine(since earlier: TransferSpec) -> HistoryLine {
        guard url == earlier.url, headers == earlier.headers else {
            return HistoryLine(event: "replaced", detail: (try? TransferURL(parsing: url).redacted) ?? "")
        }
        return HistoryLine(event: "changed", detail: "by what was asked for later")
    }
}
