import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Transfers that the process ended over twice: they are ended as failed before anything looks at them again, so that
/// everything else goes on. No machine is asked: it may be what trapped.
struct SettingAside {
    /// A record before and after.
    typealias Change = (before: TransferRecord, after: TransferRecord)

    let store: Store
    let layout: SessionLayout

    /// What the notes of earlier traps say. Notes of transfers that are gone are dropped.
    func culprits() throws(TransferFailure) -> [TrapEntry] {
        let entries = TrapNotes.entries(in: layout.traps)
        var present: [TrapEntry] = []
        for entry in entries where try store.has(entry.id) { present.append(entry) }
        // A note that stays is dropped at the next opening.
        if present.count < entries.count { try? TrapNotes.keep(present, in: layout.traps) }
        return TrapPolicy.culprits(of: present)
    }

    /// Ends one inside the turn's transaction; `nil` when it is gone.
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

    /// Forgets the notes, once that is on the disk: a retry is judged anew.
    static func forget(_ culprits: [TrapEntry], in layout: SessionLayout) {
        let ids = Set(culprits.map(\.id))
        let others = TrapNotes.entries(in: layout.traps).filter { !ids.contains($0.id) }
        // With notes that stay the same is done again at the next opening, which changes nothing.
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

    /// A record that cannot be read is kept in a file of its own, and another one takes its place, which asks for nothing.
    private func exchanged(
        _ id: TransferID, because failure: TransferFailure, at now: WallTime
    ) throws(TransferFailure) -> Change? {
        guard let row = try store.unreadable(id) else { return nil }
        let file = AtomicFile(layout.unreadable(id))
        // What is there was kept by an opening that ended before its commit was known: the row has the other record now.
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
    /// The blobs as fields 1 to 3 of a message, which any reader of messages can take apart.
    fileprivate var wireBytes: [UInt8] {
        var writer = WireWriter()
        for (index, blob) in blobs.enumerated() { writer.data(blob, at: index + 1) }
        return writer.bytes
    }
}
