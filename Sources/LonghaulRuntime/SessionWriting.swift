import LonghaulCore
import LonghaulStore

/// Decides which changes a turn writes at once, and which may lag.
extension SessionState {
    /// Records a transfer's change, inside the turn's transaction or lagging behind it.
    func recordChange(_ record: TransferRecord, since earlier: TransferRecord) throws(TransferFailure) {
        guard let entry = behind.record(record, since: earlier, at: now) else { return }
        try write(entry)
        if record.turnPriority != earlier.turnPriority { try store.setPriority(of: record) }
        let isSameQuery = record.isSameQuery(as: earlier)
        // A repeated command must find the changed transfer.
        if !isSameQuery || earlier.state.isEnded && !record.state.isEnded { turns.equals = EqualTransfers() }
        if !isSameQuery {
            try store.replaceSpec(of: record, host: LiveTransfer.host(of: record.spec))
            deletions.recordDeletion(at: now)
        }
        if record.state.isEnded { session.credentials.forgetURL(of: record) }
    }

    /// Writes all lagging records, inside the turn's transaction.
    func writeLagging() throws(TransferFailure) {
        for id in behind.ids { try writeLag(of: id) }
    }

    /// Writes a transfer's lagging record, inside the turn's transaction.
    func writeLag(of id: TransferID) throws(TransferFailure) {
        if let entry = behind[id] { try write(entry) }
    }

    private func write(_ entry: WriteBehind.Entry) throws(TransferFailure) {
        try beginWriting()
        try store.update(entry.record, since: entry.stored.state)
        try store.appendHistory(entry.record.id, entry.lines)
        behind.recordWritten(entry.record.id, at: now)
    }
}
