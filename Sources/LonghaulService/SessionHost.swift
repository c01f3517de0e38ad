import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// The sessions of this service. Opening one may take a while, and happens on a separate thread; requests for that session wait
/// meanwhile, but not those for other sessions.
final class SessionHost: Sendable {
    enum Access {
        case open(SessionRuntime)
        /// The session does not exist, and the request does not create it.
        case absent
        case failed(TransferFailure)
    }

    typealias Waiter = @Sendable (Access) -> Void

    enum Entry {
        /// A thread opens it: it tries to take the lock, or has it.
        case opening([Waiter])
        case open(SessionRuntime)
        /// Another process runs it. A thread waits in the kernel for its lock, and then opens the session.
        case held(SessionLock)
        /// Its loop was requested to end, for a client that wants to run it.
        case releasing(SessionRuntime, [Waiter])
        /// Released to a client: not touched while the client is connected.
        case released(to: ClientNumber)
        /// The next request tries again.
        case closed(TransferFailure)
        /// Closed because it has nothing to do. The next request opens it.
        case resting(SessionRest)
    }

    struct State {
        var entries: [SessionID: Entry] = [:]
        /// Sessions that keep the service running while another process owns them: a client requested it, or they had work when
        /// last seen.
        var wanted: Set<SessionID> = []
        /// Requests for sessions that were or will be released.
        var claims: Set<SessionClaim> = []
        var idle = IdleSessions()
        /// When a closed session must be opened, or earlier.
        var nextDue: WallTime?
        /// Called when no session is still being opened.
        var settled: [@Sendable () -> Void] = []
        var isStopping = false
    }

    let directories: SessionDirectories
    let state = Mutex(State())
    private let environment: RuntimeEnvironment
    private let onOpen: @Sendable (SessionID, SessionRuntime) -> Void
    private let onOpened: @Sendable (SessionID) -> Void
    let onRelease: @Sendable (SessionID) -> Void
    let onRest: @Sendable (SessionID) -> Void
    let wake: @Sendable () -> Void

    /// `onOpen` is called for each opened session, on the thread that opened it, before any client can access it; `onOpened` when
    /// clients can; `onRelease` for each released session, when its runtime has ended.
    ///
    /// `onRest` is called before a session is left closed, so that openings by other processes are detected from then on. `wake`
    /// causes a call of `closeIdle`.
    init(
        directories: SessionDirectories, environment: RuntimeEnvironment,
        onOpen: @escaping @Sendable (SessionID, SessionRuntime) -> Void,
        onOpened: @escaping @Sendable (SessionID) -> Void = { _ in },
        onRelease: @escaping @Sendable (SessionID) -> Void,
        onRest: @escaping @Sendable (SessionID) -> Void = { _ in }, wake: @escaping @Sendable () -> Void
    ) {
        self.directories = directories
        self.onRest = onRest
        self.wake = wake
        var environment = environment
        environment.ownerKind = .service
        self.environment = environment
        self.onOpen = onOpen
        self.onOpened = onOpened
        self.onRelease = onRelease
    }

    /// Begins to open the sessions on disk that are not open yet, or to wait for them. Sessions at rest stay closed unless another
    /// process has opened them since.
    func openExisting() {
        let known = state.withLock { $0.entries }
        let ids = directories.existing()
        let candidates = ids.filter { id in
            switch known[id] {
            case nil: directories.isBegun(id)
            case .resting(let rest): !rest.holds(in: directories.layout(id))
            default: false
            }
        }
        let deleted = Set(known.filter(\.value.isResting).keys).subtracting(ids)
        let unknown = state.withLock { state in
            for id in deleted where state.entries[id]?.isResting ?? false { state.entries[id] = nil }
            let unknown = candidates.filter { state.entries[$0]?.isResting ?? true && !state.isStopping }
            for id in unknown { state.entries[id] = .opening([]) }
            return unknown
        }
        beginOpening(unknown)
    }

    /// Whether anything may happen without a request, now or later.
    var hasWork: Bool {
        let (runtimes, isWaiting) = state.withLock { state in (state.runtimes, state.isOpening || state.isWaiting) }
        return isWaiting || runtimes.contains { $0.activity.hasLiveWork }
    }

    /// Whether bytes are being transferred, or a session is being opened: an optional exit should wait.
    var isMoving: Bool {
        let (runtimes, isOpening) = state.withLock { state in (state.runtimes, state.isOpening) }
        return isOpening || runtimes.contains { $0.activity.totals.running > 0 }
    }

    /// Calls `then` with the session, on any thread; `creates` creates it if it is missing.
    func access(_ id: SessionID, creates: Bool, then: @escaping Waiter) {
        enum Step {
            case answer(Access)
            case wait
            case open
            case ask(SessionLock)
        }
        let step = state.withLock { state -> Step in
            if state.isStopping { return .answer(.failed(Self.isStopping)) }
            switch state.entries[id] {
            case .open(let runtime):
                state.idle.beginUse(of: id)
                return .answer(.open(runtime))
            case .opening(let waiting):
                state.entries[id] = .opening(waiting + [then])
                return .wait
            case .releasing(let runtime, let waiting):
                state.entries[id] = .releasing(runtime, waiting + [then])
                return .wait
            case .held(let lock): return .ask(lock)
            case .released: return .answer(.failed(directories.inUse(id)))
            case .closed, .resting, nil:
                guard creates || directories.exists(id) else {
                    state.entries[id] = nil
                    return .answer(.absent)
                }
                state.entries[id] = .opening([then])
                return .open
            }
        }
        switch step {
        case .answer(let access):
            then(access)
            if case .open = access { endUse(of: id) }
        case .wait: break
        case .open: beginOpening([id])
        case .ask(let lock): accessHeld(id, lock, creates: creates, then: then)
        }
    }

    /// Calls `then` with every session, once no session is being opened.
    func summaries(_ then: @escaping @Sendable ([SessionSummary]) -> Void) {
        openExisting()
        let isSettled = state.withLock { state in
            if state.isOpening { state.settled.append { [self] in then(summaries()) } }
            return !state.isOpening
        }
        if isSettled { then(summaries()) }
    }

    /// A network is available again: transfers that wait for one resume.
    func reportNetworkReturn() {
        for runtime in state.withLock({ $0.runtimes }) { runtime.reportNetworkReturn() }
    }

    /// Links, addresses, or routes have changed.
    func reportNetworkChange() {
        for runtime in state.withLock({ $0.runtimes }) { runtime.reportNetworkChange() }
    }

    /// Passes the surroundings to an open session.
    func pass(_ id: SessionID, _ surroundings: Surroundings) {
        let entry = state.withLock { $0.entries[id] }
        if case .open(let runtime) = entry { runtime.update(surroundings) }
    }

    /// Calls `then` when no session has a step that is still being stopped.
    func finishAll(_ then: @escaping @Sendable () -> Void) {
        queryAll({ $0.whenSettled($1) }, then: then)
    }

    /// Calls `then` when every session has freed memory that only caches values.
    func releaseMemory(_ then: @escaping @Sendable () -> Void) {
        queryAll({ $0.releaseMemory($1) }, then: then)
    }

    /// Calls `then` when every open session has called back.
    private func queryAll(
        _ ask: (SessionRuntime, @escaping @Sendable () -> Void) -> Void, then: @escaping @Sendable () -> Void
    ) {
        let runtimes = state.withLock { $0.runtimes }
        let missing = Mutex(runtimes.count + 1)
        let one: @Sendable () -> Void = {
            let rest = missing.withLock { count in
                count -= 1
                return count
            }
            if rest == 0 { then() }
        }
        for runtime in runtimes { ask(runtime, one) }
        one()
    }

    /// The clock was set, or the time zone changed.
    func reportClockChange() {
        for runtime in state.withLock({ $0.runtimes }) { runtime.reportClockChange() }
        wake()
    }

    /// Stops all sessions in parallel. A session that is being opened is stopped after its opening; threads that wait for a lock
    /// end with the process.
    func stop() {
        let runtimes = state.withLock { state in
            state.isStopping = true
            defer { state.entries = state.entries.filter { if case .open = $0.value { false } else { true } } }
            return state.runtimes
        }
        for thread in runtimes.map({ runtime in NativeThread { runtime.stop() } }) { thread.join() }
    }

    func beginOpening(_ ids: [SessionID]) {
        guard !ids.isEmpty else { return }
        NativeThread { [self] in
            for id in ids where !leaveAtRest(id) {
                open(id)
                // Keeps the number of open sessions small while many are opened.
                closeDue()
            }
        }.detach()
    }

    /// Takes the lock and opens the session; otherwise waits for the lock.
    private func open(_ id: SessionID) {
        do throws(TransferFailure) {
            let layout = try directories.make(id)
            let lock = try SessionLock(layout)
            guard try lock.acquire() else { return hold(id, lock) }
            openLocked(id, lock)
        } catch {
            conclude(id, .failed(error))
        }
    }

    /// Opens a session whose lock was taken.
    func openLocked(_ id: SessionID, _ lock: SessionLock) {
        do throws(TransferFailure) {
            guard lock.isCurrent else {  // The directory was deleted, and perhaps replaced.
                return directories.exists(id) ? open(id) : conclude(id, .absent)
            }
            var environment = environment
            environment.reportIdle = { [weak self] in self?.recordIdle($0) }
            let directory = try SessionDirectory(directories.layout(id), lock)
            let runtime = try SessionRuntime.open(directory, environment: environment)
            if let damage = directories.damage(id) {
                ServiceLog.notice("session was damaged", ["session": id.description, "message": damage.message])
            }
            state.withLock { _ = $0.wanted.remove(id) }
            onOpen(id, runtime)
            conclude(id, .open(runtime))
            onOpened(id)
        } catch {
            lock.release()
            conclude(id, .failed(error))
        }
    }

    private func conclude(_ id: SessionID, _ access: Access) {
        let entry: Entry? =
            switch access {
            case .open(let runtime): .open(runtime)
            case .failed(let failure): .closed(failure)
            case .absent: nil
            }
        if case .failed(let failure) = access {
            ServiceLog.notice("session cannot be opened", ["session": id.description, "message": failure.message])
        }
        finishOpening(id, entry, access)
    }

    /// Ends an opening: stores its result, and answers the waiting requests.
    func finishOpening(_ id: SessionID, _ entry: Entry?, _ access: Access) {
        let (waiting, settled, isLate) = state.withLock { state in
            guard case .opening(let waiting) = state.entries[id] else {
                preconditionFailure("\(id) is not being opened.")
            }
            state.entries[id] = state.isStopping ? nil : entry
            if case .open(let runtime) = access { state.recordOpen(id, runtime) }
            return (waiting, state.takeSettled(), state.isStopping)
        }
        for then in waiting { then(isLate ? .failed(Self.isStopping) : access) }
        if case .open(let runtime) = access {
            endUse(of: id)
            if isLate { runtime.stop() }
        }
        for then in settled { then() }
    }

    static let isStopping = TransferFailure(
        .serviceUnavailable, "longhauld is about to stop and restarts automatically. Try again in a moment.")
}
