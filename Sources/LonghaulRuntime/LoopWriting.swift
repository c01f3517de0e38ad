import LonghaulCore
import LonghaulStore

/// What a turn writes at once, and what may wait.
extension SessionLoop {
    /// Takes down what became of a transfer, inside the turn's transaction or behind it.
    func note(_ record: TransferRecord, since earlier: TransferRecord) throws(TransferFailure) {
        let lag = lagging[record.id]
        var lines = lag?.lines ?? []
        if let line = record.history(since: earlier) {
            lines.append(
                Store.HistoryRow(
                    at: now, event: line.event, detail: line.detail, bytesDone: record.facts.bytesDone))
        }
        let stored = lag?.stored ?? earlier
        if record.mayLag(behind: stored) {
            return setLag(of: record.id, from: lag, LaggingRecords.Entry(stored: stored, record: record, lines: lines))
        }
        try write(record, since: stored, lines, lag)
        if record.turnPriority != earlier.turnPriority { try store.setPriority(of: record) }
        if !record.asksTheSame(as: earlier) {
            try store.replaceSpec(of: record, host: LiveTransfer.host(of: record.spec))
            deletions.note(at: now)
        }
        if record.state.isEnded, record.spec.options.credentialKind == .url { forgetURLQuestion(record) }
    }

    /// Writes everything that lags, inside the turn's transaction.
    func writeLagging() throws(TransferFailure) {
        for id in lagging.ids { try writeLag(of: id) }
    }

    /// Writes what lags of one transfer, inside the turn's transaction.
    func writeLag(of id: TransferID) throws(TransferFailure) {
        guard let lag = lagging[id] else { return }
        try write(lag.record, since: lag.stored, lag.lines, lag)
    }

    /// Changes what lags of a transfer; the turn can be undone.
    func setLag(of id: TransferID, from before: LaggingRecords.Entry?, _ entry: LaggingRecords.Entry?) {
        if before == nil, entry == nil { return }
        if batch.oldLags[id] == nil { batch.oldLags[id] = .some(before) }
        lagging.set(id, entry, at: now)
    }

    private func write(
        _ record: TransferRecord, since stored: TransferRecord, _ lines: [Store.HistoryRow],
        _ lag: LaggingRecords.Entry?
    ) throws(TransferFailure) {
        try beginWriting()
        try store.update(record, since: stored.state)
        try store.appendHistory(record.id, lines)
        setLag(of: record.id, from: lag, nil)
    }
}
