import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// The sessions of this service. Opening one may take a while and happens on a thread of its own; what is asked of the
/// session meanwhile waits. No other session and no client waits with it.
final class SessionHost: Sendable {
    enum Access {
        case open(SessionRuntime)
        /// There is no such session, and the question is not one that makes it.
        case absent
        case failed(TransferFailure)
    }

    typealias Waiter = @Sendable (Access) -> Void

    enum Entry {
        /// A thread opens it: it tries to get the lock, or has it.
        case opening([Waiter])
        case open(SessionRuntime)
        /// Another process runs it. A thread waits in the kernel for its lock, and opens the session then.
        case held(SessionLock)
        /// Its loop was asked to end, for a client that wants to run it.
        case releasing(SessionRuntime, [Waiter])
        /// Given back to a client: not touched while that one is connected.
        case released(to: ClientNumber)
        /// Tried again when it is asked for.
        case closed(TransferFailure)
    }

    struct State {
        var entries: [SessionID: Entry] = [:]
        /// Sessions to stay for while another process runs them: a client asked for it, or they had work when last seen.
        var wanted: Set<SessionID> = []
        /// What was given back, or is about to be.
        var wishes: Set<ReleaseWish> = []
        /// Called when nothing is being opened any more.
        var settled: [@Sendable () -> Void] = []
        var isStopping = false
    }

    let directories: SessionDirectories
    let state = Mutex(State())
    private let environment: RuntimeEnvironment
    private let onOpen: @Sendable (SessionID, SessionRuntime) -> Void
    private let onOpened: @Sendable (SessionID) -> Void
    let onRelease: @Sendable (SessionID) -> Void

    /// `onOpen` is called for each session that is opened, on the thread that opened it, before anybody has it, and `onOpened` when all
    /// can have it; `onRelease` for each that is given
    /// back, when its runtime has ended.
    init(
        directories: SessionDirectories, environment: RuntimeEnvironment,
        onOpen: @escaping @Sendable (SessionID, SessionRuntime) -> Void,
        onOpened: @escaping @Sendable (SessionID) -> Void = { _ in },
        onRelease: @escaping @Sendable (SessionID) -> Void
    ) {
        self.directories = directories
        var environment = environment
        environment.ownerKind = .service
        self.environment = environment
        self.onOpen = onOpen
        self.onOpened = onOpened
        self.onRelease = onRelease
    }

    /// Begins to open what is on disk and not open yet, or to wait for it.
    func openExisting() {
        let ids = directories.begun()
        let unknown = state.withLock { state in
            let unknown = ids.filter { state.entries[$0] == nil && !state.isStopping }
            for id in unknown { state.entries[id] = .opening([]) }
            return unknown
        }
        beginOpening(unknown)
    }

    /// Whether anything may happen by itself, now or at its time.
    var hasWork: Bool {
        let (runtimes, isWaiting) = state.withLock { state in (state.runtimes, state.isOpening || state.isWaiting) }
        return isWaiting || runtimes.contains { $0.activity.hasLiveWork }
    }

    /// Whether bytes are on their way, or a session is just being opened: who has the choice leaves later.
    var isMoving: Bool {
        let (runtimes, isOpening) = state.withLock { state in (state.runtimes, state.isOpening) }
        return isOpening || runtimes.contains { $0.activity.totals.running > 0 }
    }

    /// Calls `then` with the session, on any thread; `creates` makes it if it is not there.
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
            case .open(let runtime): return .answer(.open(runtime))
            case .opening(let waiting):
                state.entries[id] = .opening(waiting + [then])
                return .wait
            case .releasing(let runtime, let waiting):
                state.entries[id] = .releasing(runtime, waiting + [then])
                return .wait
            case .held(let lock): return .ask(lock)
            case .released: return .answer(.failed(directories.inUse(id)))
            case .closed, nil:
                guard creates || directories.exists(id) else { return .answer(.absent) }
                state.entries[id] = .opening([then])
                return .open
            }
        }
        switch step {
        case .answer(let access): then(access)
        case .wait: break
        case .open: beginOpening([id])
        case .ask(let lock): accessHeld(id, lock, creates: creates, then: then)
        }
    }

    /// Calls `then` with every session, when those that are being opened are.
    func summaries(_ then: @escaping @Sendable ([SessionSummary]) -> Void) {
        openExisting()
        let isSettled = state.withLock { state in
            if state.isOpening { state.settled.append { [self] in then(summaries()) } }
            return !state.isOpening
        }
        if isSettled { then(summaries()) }
    }

    /// A network is there again: what waits for one goes on.
    func noteNetworkReturned() {
        for runtime in state.withLock({ $0.runtimes }) { runtime.noteNetworkReturned() }
    }

    /// Links, addresses, or routes have changed.
    func noteNetworkChanged() {
        for runtime in state.withLock({ $0.runtimes }) { runtime.noteNetworkChanged() }
    }

    /// Tells a session that is open what is around it.
    func tell(_ id: SessionID, _ surroundings: Surroundings) {
        let entry = state.withLock { $0.entries[id] }
        if case .open(let runtime) = entry { runtime.note(surroundings) }
    }

    /// Calls `then` when no session is stopping anything any more.
    func settleAll(_ then: @escaping @Sendable () -> Void) {
        askAll({ $0.whenSettled($1) }, then: then)
    }

    /// Calls `then` when every session has freed what it only keeps to be quick.
    func releaseMemory(_ then: @escaping @Sendable () -> Void) {
        askAll({ $0.releaseMemory($1) }, then: then)
    }

    /// Calls `then` when every open session has called back.
    private func askAll(
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

    /// The clock was set, or another time zone counts.
    func noteClockChanged() {
        for runtime in state.withLock({ $0.runtimes }) { runtime.noteClockChanged() }
    }

    /// Stops every session, all at the same time. What is being opened now is stopped when it is open; threads that wait
    /// for a lock end with the process.
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
            for id in ids { open(id) }
        }.letGo()
    }

    /// Takes the lock and opens the session; without the lock it is waited for.
    private func open(_ id: SessionID) {
        do throws(TransferFailure) {
            let layout = try directories.make(id)
            let lock = try SessionLock(layout)
            guard try lock.take() else { return hold(id, lock) }
            openLocked(id, lock)
        } catch {
            conclude(id, .failed(error))
        }
    }

    /// Opens a session whose lock was taken.
    func openLocked(_ id: SessionID, _ lock: SessionLock) {
        do throws(TransferFailure) {
            guard lock.isCurrent else {
                // The directory was taken away, and perhaps another one has its name.
                return directories.exists(id) ? open(id) : conclude(id, .absent)
            }
            let runtime = try SessionRuntime.open(
                SessionDirectory(directories.layout(id), lock), environment: environment)
            if let damage = directories.damage(id) {
                ServiceLog.notice("session store was damaged", ["session": id.description, "message": damage.message])
            }
            state.withLock { _ = $0.wanted.remove(id) }
            onOpen(id, runtime)
            conclude(id, .open(runtime))
            onOpened(id)
        } catch {
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
        settle(id, entry, access)
    }

    /// Ends an opening: notes what became of it, and answers those who wait.
    func settle(_ id: SessionID, _ entry: Entry?, _ access: Access) {
        let (waiting, settled, isLate) = state.withLock { state in
            guard case .opening(let waiting) = state.entries[id] else {
                preconditionFailure("\(id) is not being opened.")
            }
            state.entries[id] = state.isStopping ? nil : entry
            defer { if !state.isOpening { state.settled = [] } }
            return (waiting, state.isOpening ? [] : state.settled, state.isStopping)
        }
        for then in waiting { then(isLate ? .failed(Self.isStopping) : access) }
        if isLate, case .open(let runtime) = access { runtime.stop() }
        for then in settled { then() }
    }

    static let isStopping = TransferFailure(
        .serviceUnavailable, "longhauld is about to stop and restarts automatically. Try again in a moment.")
}
