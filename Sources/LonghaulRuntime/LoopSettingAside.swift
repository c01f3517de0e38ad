import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Transfers that the process ended over twice: they are ended as failed before anything looks at them again, so that
/// everything else goes on.
extension SessionLoop {
    /// What the notes of earlier traps say. Notes of transfers that are gone are dropped.
    func culprits() throws(TransferFailure) -> [TrapEntry] {
        let entries = TrapNotes.entries(in: directory.layout.traps)
        var present: [TrapEntry] = []
        for entry in entries where try store.has(entry.id) { present.append(entry) }
        // A note that stays is dropped at the next opening.
        if present.count < entries.count { try? TrapNotes.keep(present, in: directory.layout.traps) }
        return TrapPolicy.culprits(of: present)
    }

    /// Ends them inside the turn's transaction. The notes are forgotten when that is on the disk: a retry is judged anew.
    func setAside(_ culprits: [TrapEntry]) throws(TransferFailure) {
        guard !culprits.isEmpty else { return }
        try beginWriting()
        for culprit in culprits {
            let failure = TrapPolicy.failure(of: culprit, place: directory.layout.unreadable(culprit.id))
            switch culprit.work {
            case .handling: try setAside(culprit.id, because: failure)
            case .reading: try exchange(culprit.id, because: failure)
            }
        }
        answer { [layout = directory.layout] in
            let ids = Set(culprits.map(\.id))
            let others = TrapNotes.entries(in: layout.traps).filter { !ids.contains($0.id) }
            // With notes that stay the same is done again at the next opening, which changes nothing.
            try? TrapNotes.keep(others, in: layout.traps)
        }
    }

    /// No machine is asked: it may be what trapped.
    private func setAside(_ id: TransferID, because failure: TransferFailure) throws(TransferFailure) {
        guard let before = try store.record(id) else { return }
        var after = before
        after.state = .failed(failure)
        if !before.state.isEnded { after.facts.endedAt = now }
        after.facts.cleanup = []
        try replace(before, after)
    }

    /// A record that cannot be read is kept in a file of its own, and another one takes its place, which asks for nothing.
    private func exchange(_ id: TransferID, because failure: TransferFailure) throws(TransferFailure) {
        guard let row = try store.unreadable(id) else { return }
        let file = AtomicFile(directory.layout.unreadable(id))
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
        try replace(before, after)
    }

    private func replace(_ before: TransferRecord, _ after: TransferRecord) throws(TransferFailure) {
        try store.update(after)
        if let line = after.history(since: before) {
            try store.appendHistory(
                after.id, at: now, event: line.event, detail: line.detail, bytesDone: after.facts.bytesDone)
        }
        try follow(before, after)
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
