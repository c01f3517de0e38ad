import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import Synchronization

/// The clients' watches, and what each of them watches. A session that does not exist yet can be watched: the watch is
/// attached when the session is made.
final class ServiceWatches: Sendable {
    private enum Place {
        case waiting(SessionID, TransferSelection)
        case attaching
        case attached(SessionRuntime, WatchToken)
    }

    private let mailbox: ServerMailbox
    private let places = Mutex<[RequestKey: Place]>([:])

    init(mailbox: ServerMailbox) {
        self.mailbox = mailbox
    }

    /// Notes a watch that `attach` will bring to its session.
    func begin(_ key: RequestKey, _ session: SessionID, _ selection: TransferSelection) {
        places.withLock { $0[key] = .waiting(session, selection) }
    }

    /// Attaches a watch, unless that was done or the watch has ended.
    func attach(_ key: RequestKey, to runtime: SessionRuntime) {
        let selection = places.withLock { places -> TransferSelection? in
            guard case .waiting(_, let selection) = places[key] else { return nil }
            places[key] = .attaching
            return selection
        }
        guard let selection else { return }
        let token = runtime.watch(selection) { [mailbox] update in mailbox.update(update, to: key) }
        let isWanted = places.withLock { places in
            guard places[key] != nil else { return false }
            places[key] = .attached(runtime, token)
            return true
        }
        if !isWanted { runtime.unwatch(token) }
    }

    /// Attaches every watch that waits for a session.
    func attachAll(of session: SessionID, to runtime: SessionRuntime) {
        let keys = places.withLock { places in
            places.compactMap { key, place in
                if case .waiting(session, _) = place { key } else { nil }
            }
        }
        for key in keys { attach(key, to: runtime) }
    }

    func end(_ key: RequestKey) {
        let place = places.withLock { $0.removeValue(forKey: key) }
        if case .attached(let runtime, let token) = place { runtime.unwatch(token) }
    }

    func endAll(of client: ClientNumber) {
        let keys = places.withLock { $0.keys.filter { $0.client == client } }
        for key in keys { end(key) }
    }
}
