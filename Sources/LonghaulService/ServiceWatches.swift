import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import Synchronization

/// The watches and attachments of clients, with their subjects. A watch of a missing session is attached when the session is created.
final class ServiceWatches: Sendable {
    /// The subject of a client's watch.
    enum Subject {
        case transfers(TransferSelection, WatchDetail)
        /// Events, as the session's app.
        case events
        /// Runs of background tasks, as a process with handlers.
        case tasks(TaskRunner)
    }

    private enum Place {
        case waiting(SessionID, Subject)
        case attaching
        case attached(SessionRuntime, WatchToken, SessionID, Subject)
    }

    private struct State {
        var places: [RequestKey: Place] = [:]
        /// The runtime of each open session.
        var runtimes: [SessionID: SessionRuntime] = [:]
    }

    private let mailbox: ServerMailbox
    private let state = Mutex(State())

    init(mailbox: ServerMailbox) {
        self.mailbox = mailbox
    }

    /// Adds a watch that `attach` will connect to its session.
    func begin(_ key: RequestKey, _ session: SessionID, _ subject: Subject) {
        state.withLock { $0.places[key] = .waiting(session, subject) }
    }

    /// Attaches a watch, unless that was done or the watch has ended.
    func attach(_ key: RequestKey, to runtime: SessionRuntime) {
        let wanted = state.withLock { state -> (SessionID, Subject)? in
            guard case .waiting(let session, let subject) = state.places[key] else { return nil }
            state.places[key] = .attaching
            return (session, subject)
        }
        guard let (session, subject) = wanted else { return }
        let token =
            switch subject {
            case .transfers(let selection, let detail):
                runtime.watch(selection, detail) { [self] signal in
                    switch signal {
                    case .news(let pull): mailbox.offer(pull, to: key)
                    case .lost: giveUp(key)
                    }
                }
            case .events: runtime.attach { [mailbox] newest in mailbox.news(newest, to: key) }
            case .tasks(let runner):
                runtime.runTasks(runner) { [mailbox] runs in mailbox.taskRuns(runs, to: key) }
            }
        let (isWanted, other) = state.withLock { state -> (Bool, SessionRuntime?) in
            guard state.places[key] != nil else { return (false, nil) }
            let current = state.runtimes[session]
            let isCurrent = current === runtime
            state.places[key] =
                isCurrent ? .attached(runtime, token, session, subject) : .waiting(session, subject)
            return (isCurrent, isCurrent ? nil : current)
        }
        if !isWanted { runtime.unwatch(token) }
        if let other { attach(key, to: other) }
    }

    /// Attaches every waiting watch to a session that was opened.
    func attachAll(of session: SessionID, to runtime: SessionRuntime) {
        let keys = state.withLock { state in
            state.runtimes[session] = runtime
            return state.places.compactMap { key, place in
                if case .waiting(session, _) = place { key } else { nil }
            }
        }
        for key in keys { attach(key, to: runtime) }
    }

    /// A session was released: its watches wait for its next opening here.
    func detachAll(of session: SessionID) {
        state.withLock { state in
            state.runtimes[session] = nil
            for (key, place) in state.places {
                if case .attached(_, _, session, let subject) = place {
                    state.places[key] = .waiting(session, subject)
                }
            }
        }
    }

    /// A new watch begins with the current state.
    private func giveUp(_ key: RequestKey) {
        end(key)
        mailbox.reply(
            .failed(
                TransferFailure(
                    .serviceUnavailable,
                    "The watch fell behind by more changes than the service keeps. Start it again, and read its updates."
                )),
            to: key)
    }

    func end(_ key: RequestKey) {
        let place = state.withLock { $0.places.removeValue(forKey: key) }
        if case .attached(let runtime, let token, _, _) = place { runtime.unwatch(token) }
    }

    func endAll(of client: ClientNumber) {
        let keys = state.withLock { $0.places.keys.filter { $0.client == client } }
        for key in keys { end(key) }
    }
}
