import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Transfers that crashed the process twice: they are recorded as failed before any other code reads them, so that everything else
/// continues. Their machine is not fed, because it may be what trapped.
struct Quarantine {
    /// A record before and after.
    typealias Change = (before: TransferRecord, after: TransferRecord)

    let store: Store
    let layout: SessionLayout

    /// Returns the transfers that the notes of earlier traps name. Notes of deleted transfers are dropped.
    func culprits() throws(TransferFailure) -> [TrapEntry] {
        let entries = TrapNotes.entries(in: layout.traps)
        var present: [TrapEntry] = []
        for entry in entries where try store.has(entry.id) { present.append(entry) }
        // If that fails, the notes are dropped at the next opening.
        if present.count < entries.count { try? TrapNotes.keep(present, in: layout.traps) }
        return TrapPolicy.culprits(of: present)
    }

    /// Fails a transfer inside the turn's transaction; `nil` if it was deleted.
    func end(_ culprit: TrapEntry, at now: WallTime) throws(TransferFailure) -> Change? {
        let failure = TrapPolicy.failure(of: culprit, place: layout.unreadable(culprit.id))
        let found =
            switch culprit.work {
            case .handling: try failed(culprit.id, because: failure, at: now)
            case .reading: try exchanged(culprit.id, because: failure, at: now)
            }
        guard let change = found else { return nil }
        try store.update(change.after)
        if let line = change.after.history(since: change.before) {
            try store.appendHistory(
                culprit.id, at: now, event: line.event, detail: line.detail,
                bytesDone: change.after.facts.bytesDone)
        }
        return change
    }

    /// Deletes the notes after the commit, so that a retry is judged afresh.
    static func forget(_ culprits: [TrapEntry], in layout: SessionLayout) {
        let ids = Set(culprits.map(\.id))
        let others = TrapNotes.entries(in: layout.traps).filter { !ids.contains($0.id) }
        // If that fails, the next opening repeats this without effect.
        try? TrapNotes.keep(others, in: layout.traps)
    }

    private func failed(
        _ id: TransferID, because failure: TransferFailure, at now: WallTime
    ) throws(TransferFailure) -> Change? {
        guard let before = try store.record(id) else { return nil }
        var after = before
        after.state = .failed(failure)
        if !before.state.isEnded { after.facts.endedAt = now }
        after.facts.cleanup = []
        return (before, after)
    }

    /// Moves an unreadable record to its own file, and replaces it by a record without a request.
    private func exchanged(
        _ id: TransferID, because failure: TransferFailure, at now: WallTime
    ) throws(TransferFailure) -> Change? {
        guard let row = try store.unreadable(id) else { return nil }
        let file = AtomicFile(layout.unreadable(id))
        // An existing file was written by an opening that ended before it knew of its commit: the row has the other record now.
        if !Files.isTaken(file.path) { try file.write(row.wireBytes) }
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: "http://unreadable.invalid/")
        spec.options.key = row.key
        spec.options.group = row.group
        var before = TransferRecord(id: id, spec: spec, state: row.state ?? .failed(failure), createdAt: now)
        before.sequence = row.sequence
        var after = before
        after.state = .failed(failure)
        after.facts.endedAt = now
        try store.replaceSpec(of: after, host: LiveTransfer.host(of: spec))
        return (before, after)
    }
}

extension UnreadableTransfer {
    /// The blobs as fields 1 to 3 of a message, which any reader of messages can decode.
    fileprivate var wireBytes: [UInt8] {
        var writer = WireWriter()
        for (index, blob) in blobs.enumerated() { writer.data(blob, at: index + 1) }
        return writer.bytes
    }
}
