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

    /// When a host's request to be left alone begins, changes or ends, the transfers that wait for that host wait for another
    /// reason than was shown. A watcher of a single transfer is told of it, and every watcher is told of the transfers that are
    /// next in line; the others are known to wait.
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
