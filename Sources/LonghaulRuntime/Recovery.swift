import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// Transfers that need recovery, found in the store for the first committed turn (`TakeOver`).
struct FoundAtOpening {
    /// Transfers that ran when the last owner ended, in the order of their turns, and those that left cleanup to do.
    var interrupted: [TransferID] = []
    /// Transfers that wait for credentials.
    var asking: [TransferID] = []
    /// Transfers that may wait for others.
    var following: [TransferID] = []
    /// Transfers that crashed the process twice.
    var culprits: [TrapEntry] = []
    /// Exchanges of owners that have ended.
    var survivors: [SurvivingExchange] = []
}

/// Feeds the machines from the store.
extension FoundAtOpening {
    /// Rebuilds the queue and the alarms, and finds the transfers to recover.
    init(_ state: SessionState) throws(TransferFailure) {
        let store = state.store
        culprits = try Quarantine(store: store, layout: state.directory.layout).culprits()
        let setAside = Set(culprits.map(\.id))
        var running: [QueueEntry] = []
        try store.queueEntries { entry in
            guard !setAside.contains(entry.id) else { return }
            state.turns.add(entry)
            switch entry.kind {
            case .running, .awaitingResponse: running.append(entry)
            case .waiting(.credentials): asking.append(entry.id)
            case .waiting(.predecessor), .paused: following.append(entry.id)
            case .waiting: break
            }
        }
        running.sort { ($1.priority, $0.sequence) < ($0.priority, $1.sequence) }
        interrupted = running.map(\.id)
        interrupted += try store.pendingCleanup().filter { !setAside.contains($0) }
        state.behind.traits = state.engine?.exchanges.traits ?? .ofProcess
        survivors = try Survivors.query(state.engine?.exchanges, except: setAside)
    }
}

extension SessionDirectory {
    /// Removes files that no record names.
    func sweep(_ store: Store) {
        sweepStaged(self, store)
        sweepUnreadable(self, store)
    }
}

/// A staged body that no record names was left by a client that died before it submitted.
private func sweepStaged(_ directory: SessionDirectory, _ store: Store) {
    var litter = Set(directory.stagedBodies().compactMap(\.baseName))
    // Orphaned files that cannot be identified now wait for the next opening. Bodies of transfers that a damaged store lost are kept
    // as long as that store.
    guard !litter.isEmpty, !DamagedFiles(of: directory.layout.store).isPresent,
        let ids = try? store.ids(.all, ended: nil)
    else { return }
    for id in ids {
        guard let record = try? store.record(id) else { return }
        for source in record.spec.sources where source.isStaged { litter.remove(source.path.baseName ?? "") }
    }
    for name in litter { SessionDirectory.discardStagedBody("\(directory.layout.staged)/\(name)") }
}

/// Deletes copies of unreadable records whose transfers were removed.
private func sweepUnreadable(_ directory: SessionDirectory, _ store: Store) {
    let beginning = (directory.layout.unreadable(TransferID(high: 0, low: 0)).baseName ?? "").dropLast(36)
    for name in Directory.names(in: directory.layout.directory) where name.hasPrefix(beginning) {
        guard let id = TransferID(name.dropFirst(beginning.count)), (try? store.has(id)) == false else { continue }
        Files.discard(directory.layout.unreadable(id))
    }
}
