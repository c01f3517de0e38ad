import LonghaulCore
import LonghaulStore

/// Hosts that asked to be left alone: who holds them, who is tried against their wish, and who is told.
extension SessionLoop {
    /// A person wants it tried now, whatever its host asked for.
    func defyHold(_ transfer: LiveTransfer) {
        guard turns.queue.hasHolds, case .waiting(let waiting) = transfer.record.state, waiting.reason == .turn else {
            return
        }
        let entry = transfer.queueEntry
        if turns.queue.defy(entry) { batch.defiant.append(entry) }
    }

    /// A response told whether transfers with the host of this one share connections: other limits hold then. Known until the
    /// session is closed, and no part of any record.
    func noteSharing(_ isShared: Bool, by id: TransferID) {
        guard let host = turns.live[id]?.host else { return }
        turns.queue.note(host, sharesConnections: isShared)
    }

    /// Those who wait with a host whose wish has changed wait for another reason than was told. Those are told that are watched
    /// alone, and who is next in line: of the others it is known that they wait.
    func noteHolds() {
        let hosts = turns.queue.takeChangedHolds()
        guard !hosts.isEmpty, !watchers.isEmpty else { return }
        for host in hosts {
            let alone = watchers.watchedAlone.filter { turns.queue.isWaiting($0, with: host) }
            for id in Set(turns.queue.firstWaiting(with: host) + alone) {
                // A store that cannot be read now is told of by whoever asks it for something.
                guard let record = (try? transfer(id))??.record else { continue }
                watchers.note(id, record, group: record.spec.options.group, wasLive: true)
            }
        }
    }
}
