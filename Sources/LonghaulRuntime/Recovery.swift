import LonghaulCore
import LonghaulStore
import LonghaulSystem

/// What an opening has found in the store, for the first turn that is committed.
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

/// What happens when a session is opened: the same machines, fed from the store instead of the world.
extension SessionLoop {
    /// Rebuilds queue and alarms, lets interrupted transfers go on, and finishes what was left to tidy.
    func recover() throws(TransferFailure) {
        var found = FoundAtOpening()
        found.culprits = try settingAside.culprits()
        let setAside = Set(found.culprits.map(\.id))
        try store.queueEntries { entry in
            guard !setAside.contains(entry.id) else { return }
            turns.add(entry)
            switch entry.kind {
            case .running, .awaitingResponse: found.interrupted.append(entry.id)
            case .waiting(.credentials): found.asking.append(entry.id)
            case .waiting(.predecessor), .paused: found.following.append(entry.id)
            case .waiting: break
            }
        }
        found.interrupted += try store.pendingCleanup().filter { !setAside.contains($0) }
        behind.traits = engine?.traits ?? .ofProcess
        found.survivors = try Survivors.ask(engine, except: setAside)
        opening = found
        turn([])
        // What could not be committed is not tidied either.
        if isTakingOver { return }
        sweepStaged(directory, store)
        sweepUnreadable(directory, store)
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
