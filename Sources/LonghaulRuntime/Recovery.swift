import LonghaulCore
import LonghaulStore

/// What happens when a session is opened: the same machines, fed from the store instead of the world.
extension SessionLoop {
    /// Rebuilds queue and alarms, lets interrupted transfers go on, and finishes what was left to tidy.
    func recover() throws(TransferFailure) {
        var interrupted: [TransferID] = []
        try store.queueEntries { entry in
            let turn = TurnQueue.Entry(
                id: entry.id, sequence: entry.sequence, priority: entry.priority, host: entry.host, group: entry.group)
            switch entry.kind {
            case .waiting(.turn):
                queue.add(turn)
                alarms.set(entry.id, at: entry.deadline)
            case .waiting(let reason):
                if reason == .credentials { asking.append(entry.id) }
                let until = min(entry.until ?? entry.deadline, entry.deadline)
                alarms.set(entry.id, at: until)
                if reason == .serverBusy { queue.hold(host: entry.host, until: until, for: entry.id) }
            case .running, .awaitingResponse: interrupted.append(entry.id)
            case .paused: alarms.set(entry.id, at: entry.deadline)
            }
        }
        recovered = interrupted + (try store.pendingCleanup())
        isTakingOver = true
        turn([])
        sweepStaged()
    }

    /// Staged bodies that no record names are litter of a client that died before it submitted.
    private func sweepStaged() {
        var litter = Set(directory.stagedBodies().map(Self.baseName))
        // Litter that cannot be told apart now can wait for the next opening; what belongs to transfers that a damaged store lost
        // stays as long as that store.
        guard !litter.isEmpty, !SessionDirectory.hasDamagedStore(in: directory.layout),
            let ids = try? store.ids(.all, ended: nil)
        else { return }
        for id in ids {
            guard let record = try? store.record(id) else { return }
            for source in record.spec.sources where source.isStaged { litter.remove(Self.baseName(source.path)) }
        }
        for name in litter { SessionDirectory.discardStagedBody("\(directory.layout.staged)/\(name)") }
    }

    private static func baseName(_ path: String) -> Substring {
        path.split(separator: "/").last ?? ""
    }
}
