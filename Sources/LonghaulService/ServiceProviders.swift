import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import Synchronization

/// The clients that provide credentials, with their sessions. A session that is not open gets them when it is opened.
final class ServiceProviders: Sendable {
    private enum Place {
        case waiting
        case attaching
        case attached(SessionRuntime, ProviderToken)
    }

    private struct Provider {
        var session: SessionID
        var source: ProviderSource
        var place = Place.waiting
    }

    private struct State {
        var providers: [RequestKey: Provider] = [:]
        /// The runtime of each open session.
        var runtimes: [SessionID: SessionRuntime] = [:]
    }

    private let mailbox: ServerMailbox
    private let state = Mutex(State())

    init(mailbox: ServerMailbox) {
        self.mailbox = mailbox
    }

    /// Adds a client that `attach` will connect to its session.
    func begin(_ key: RequestKey, _ session: SessionID) {
        let source = ProviderSource { [mailbox] question in mailbox.reply(.credentialWanted(question), to: key) }
        state.withLock { $0.providers[key] = Provider(session: session, source: source) }
    }

    /// Adds the client to the session's sources, unless that was done or the client has disconnected.
    func attach(_ key: RequestKey, to runtime: SessionRuntime) {
        let source = state.withLock { state -> ProviderSource? in
            guard let provider = state.providers[key], case .waiting = provider.place else { return nil }
            state.providers[key]?.place = .attaching
            return provider.source
        }
        guard let source else { return }
        let token = runtime.addProvider(source)
        let (isWanted, other) = state.withLock { state -> (Bool, SessionRuntime?) in
            guard let provider = state.providers[key] else { return (false, nil) }
            let current = state.runtimes[provider.session]
            let isCurrent = current === runtime
            state.providers[key]?.place = isCurrent ? .attached(runtime, token) : .waiting
            return (isCurrent, isCurrent ? nil : current)
        }
        if !isWanted { runtime.removeProvider(token) }
        if let other { attach(key, to: other) }
    }

    /// Adds every waiting client to a session that was opened.
    func attachAll(of session: SessionID, to runtime: SessionRuntime) {
        let keys = state.withLock { state in
            state.runtimes[session] = runtime
            return state.providers.filter { $0.value.session == session }.map(\.key)
        }
        for key in keys { attach(key, to: runtime) }
    }

    /// A session was released: its clients wait for its next opening here.
    func detachAll(of session: SessionID) {
        state.withLock { state in
            state.runtimes[session] = nil
            for (key, provider) in state.providers where provider.session == session {
                if case .attached = provider.place { state.providers[key]?.place = .waiting }
            }
        }
    }

    /// Delivers a client's answer; answers of removed clients are ignored.
    func answer(_ key: RequestKey, _ question: UInt64, _ credential: Credential?) {
        state.withLock { $0.providers[key]?.source }?.answer(question, credential)
    }

    func end(_ key: RequestKey) {
        guard let provider = state.withLock({ $0.providers.removeValue(forKey: key) }) else { return }
        if case .attached(let runtime, let token) = provider.place { runtime.removeProvider(token) }
        provider.source.close()
    }

    func endAll(of client: ClientNumber) {
        let keys = state.withLock { $0.providers.keys.filter { $0.client == client } }
        for key in keys { end(key) }
    }
}
