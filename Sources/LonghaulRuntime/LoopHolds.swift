import LonghaulCore
import LonghaulStore

/// Hosts that asked to be left alone: who holds them, who is tried against their wish, and who is told.
extension SessionLoop {
    /// Lets the hold of a host follow from what has become of a transfer.
    func settleHold(_ id: TransferID, from before: LiveTransfer?, to after: LiveTransfer?) {
        if let before, queue.hasHolds, before.host != after?.host { queue.letGo(id, host: before.host) }
        guard let after else { return }
        switch after.record.state {
        case .waiting(let waiting):
            if waiting.reason == .serverBusy, let until = waiting.until {
                queue.hold(host: after.host, until: until, for: id)
            } else if queue.hasHolds, waiting.reason != .turn {
                // It was sent away before, and its host has not said anything else since.
                queue.endDefiance(id)
            }
        case .running(.preparing), .running(.sending), .awaitingResponse: break
        case .running(.receiving), .running(.verifying):
            if queue.hasHolds { queue.noteAnswer(id, host: after.host) }
        case .succeeded:
            guard queue.hasHolds else { return }
            queue.noteAnswer(id, host: after.host)
            queue.letGo(id, host: after.host)
        case .paused, .failed, .cancelled:
            if queue.hasHolds { queue.letGo(id, host: after.host) }
        }
    }

    /// A person wants it tried now, whatever its host asked for.
    func defyHold(_ transfer: LiveTransfer) {
        guard queue.hasHolds, case .waiting(let waiting) = transfer.record.state, waiting.reason == .turn else {
            return
        }
        let entry = transfer.queueEntry
        if queue.defy(entry) { batch.defiant.append(entry) }
    }

    /// A response told whether transfers with the host of this one share connections: other limits hold then. Known until the
    /// session is closed, and no part of any record.
    func noteSharing(_ isShared: Bool, by id: TransferID) {
        guard let host = live[id]?.host else { return }
        queue.note(host, sharesConnections: isShared)
    }

    /// Those who wait with a host whose wish has changed wait for another reason than was told. Those are told that are watched
    /// alone, and who is next in line: of the others it is known that they wait.
    func noteHolds() {
        let hosts = queue.takeChangedHolds()
        guard !hosts.isEmpty, !watchers.isEmpty else { return }
        for host in hosts {
            let alone = watchers.watchedAlone.filter { queue.isWaiting($0, with: host) }
            for id in Set(queue.firstWaiting(with: host) + alone) {
                // A store that cannot be read now is told of by whoever asks it for something.
                guard let record = (try? transfer(id))??.record else { continue }
                watchers.note(id, record, group: record.spec.options.group, wasLive: true)
            }
        }
    }
}
