import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// What an opening has found in the store, for the first turn that is committed (`TakeOver`).
struct FoundAtOpening {
    /// Transfers that ran when the last owner ended, or left something to tidy.
    var interrupted: [TransferID] = []
    /// Transfers that wait for credentials.
    var asking: [TransferID] = []
    /// Transfers that may follow others.
    var following: [TransferID] = []
    /// Transfers that the process ended over, twice.
    var culprits: [TrapEntry] = []
    /// Exchanges of owners that are gone.
    var survivors: [SurvivingExchange] = []
}

/// The same machines are fed from the store instead of the world.
extension FoundAtOpening {
    /// Rebuilds queue and alarms, and finds what has to be taken over.
    init(_ state: SessionState) throws(TransferFailure) {
        let store = state.store
        culprits = try SettingAside(store: store, layout: state.directory.layout).culprits()
        let setAside = Set(culprits.map(\.id))
        try store.queueEntries { entry in
            guard !setAside.contains(entry.id) else { return }
            state.turns.add(entry)
            switch entry.kind {
            case .running, .awaitingResponse: interrupted.append(entry.id)
            case .waiting(.credentials): asking.append(entry.id)
            case .waiting(.predecessor), .paused: following.append(entry.id)
            case .waiting: break
            }
        }
        interrupted += try store.pendingCleanup().filter { !setAside.contains($0) }
        state.behind.traits = state.engine?.exchanges.traits ?? .ofProcess
        survivors = try Survivors.ask(state.engine?.exchanges, except: setAside)
    }
}

extension SessionDirectory {
    /// Removes what no record names.
    func sweep(_ store: Store) {
        sweepStaged(self, store)
        sweepUnreadable(self, store)
    }
}

/// Staged bodies that no record names are litter of a client that died before it submitted.
private func sweepStaged(_ directory: SessionDirectory, _ store: Store) {
    var litter = Set(directory.stagedBodies().compactMap(\.baseName))
    // Litter that cannot be told apart now can wait for the next opening; what belongs to transfers that a damaged store lost
    // stays as long as that store.
    guard !litter.isEmpty, !SessionDirectory.hasDamagedStore(in: directory.layout),
        let ids = try? store.ids(.all, ended: nil)
    else { return }
    for id in ids {
        guard let record = try? store.record(id) else { return }
        for source in record.spec.sources where source.isStaged { litter.remove(source.path.baseName ?? "") }
    }
    for name in litter { SessionDirectory.discardStagedBody("\(directory.layout.staged)/\(name)") }
}

/// Records that were kept because they cannot be read, of transfers that were removed.
private func sweepUnreadable(_ directory: SessionDirectory, _ store: Store) {
    let beginning = (directory.layout.unreadable(TransferID(high: 0, low: 0)).baseName ?? "").dropLast(36)
    for name in Directory.names(in: directory.layout.directory) where name.hasPrefix(beginning) {
        guard let id = TransferID(name.dropFirst(beginning.count)), (try? store.has(id)) == false else { continue }
        Files.discard(directory.layout.unreadable(id))
    }
}
