/// A history entry without a number.
package struct HistoryLine: Equatable, Sendable {
    package var event: String
    package var detail: String
}

extension TransferRecord {
    /// Returns the history entry for the change from `earlier`; `nil` if only counters changed.
    package func history(since earlier: TransferRecord) -> HistoryLine? {
        if !isSameQuery(as: earlier) {
            return spec.historyLine(since: earlier.spec)
        }
        if let place = facts.changedPlace(since: earlier.facts) { return HistoryLine(event: "mirror", detail: place) }
        if !state.isEnded, let line = facts.restartLine(since: earlier.facts) { return line }
        if facts.attempts > earlier.facts.attempts {
            return HistoryLine(event: "started", detail: "attempt \(facts.attempts)")
        }
        switch (earlier.state, state) {
        case (.waiting(let before), .waiting(let after)):
            return before.reason == after.reason && before.failure == after.failure ? nil : waitingLine(after)
        case (.failed, .waiting), (.cancelled, .waiting): return HistoryLine(event: "retried", detail: "")
        case (.paused, .waiting): return HistoryLine(event: "resumed", detail: "")
        case (_, .waiting(let waiting)): return waitingLine(waiting)
        case (_, .running): return nil
        case (.awaitingResponse, .awaitingResponse), (.paused, .paused), (.succeeded, .succeeded),
            (.failed, .failed), (.cancelled, .cancelled):
            return nil
        case (_, .awaitingResponse): return HistoryLine(event: "awaitingResponse", detail: "everything was sent")
        case (_, .paused): return HistoryLine(event: "paused", detail: "")
        case (_, .succeeded):
            let remark = facts.download.served.endsUnverified ? " (" + TransferSnapshot.lengthRemark + ")" : ""
            let refusals = facts.download.finished.refusals.map { " (the file system refused: \($0))" } ?? ""
            return HistoryLine(event: "succeeded", detail: (facts.download.finalPath ?? "") + remark + refusals)
        case (_, .failed(let failure)):
            return HistoryLine(event: "failed", detail: "\(failure.code.rawValue): \(failure.message)")
        case (_, .cancelled): return HistoryLine(event: "cancelled", detail: "")
        }
    }

    private func waitingLine(_ waiting: Waiting) -> HistoryLine {
        let why = waiting.failure.map { " after \($0.code.rawValue): \($0.message)" } ?? ""
        return HistoryLine(event: "waiting", detail: "\(waiting.reason)\(why)")
    }
}

extension TransferFacts {
    /// The entry for a version that was kept, resumed, or discarded.
    fileprivate func restartLine(since earlier: TransferFacts) -> HistoryLine? {
        let (files, before) = (download.files, earlier.download.files)
        if let kept = before.kept?.value, files.kept == nil {
            guard files.usesSecond != before.usesSecond, download.validators != nil else {
                return HistoryLine(event: "discarded", detail: "the previous version: the disk is full")
            }
            let why = lastFailure.map { ": " + $0.message } ?? ""
            return HistoryLine(
                event: "resumed", detail: "the previous version (\(kept.bytes) bytes kept)" + why)
        }
        if restartCounts.count > earlier.restartCounts.count, let reason = restartCounts.latest {
            let remark = ". The bytes received before are kept until the new version is complete"
            let isKept = files.kept != nil && files.kept != before.kept
            return HistoryLine(event: "restarted", detail: "from byte 0: " + reason.text + (isKept ? remark : ""))
        }
        guard restarts > earlier.restarts else { return nil }
        return HistoryLine(event: "restarted", detail: lastFailure?.message ?? "from byte 0")
    }

    /// Returns the new source if it changed.
    fileprivate func changedPlace(since earlier: TransferFacts) -> String? {
        guard let now = download.mirrors, let before = earlier.download.mirrors, now.url != before.url,
            now.places.count == before.places.count
        else { return nil }
        let why = lastFailure.map { " after \($0.code.rawValue): \($0.message)" } ?? ""
        return "continues from " + ((try? TransferURL(parsing: now.url))?.redacted ?? "") + why
    }
}
