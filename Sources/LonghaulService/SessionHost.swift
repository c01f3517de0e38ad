import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
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

    fileprivate enum Entry {
        case opening([@Sendable (Access) -> Void])
        case open(SessionRuntime)
        /// Tried again when it is asked for; while another process has it, also now and then.
        case closed(TransferFailure)
    }

    fileprivate struct State {
        var entries: [SessionID: Entry] = [:]
        /// What went wrong at opening and is got over; shown for as long as this service runs.
        var troubles: [SessionID: TransferFailure] = [:]
        /// Called when nothing is being opened any more.
        var settled: [@Sendable () -> Void] = []
        var isStopping = false
    }

    private let directories: SessionDirectories
    private let environment: RuntimeEnvironment
    private let onOpen: @Sendable (SessionID, SessionRuntime) -> Void
    private let state = Mutex(State())

    /// `onOpen` is called for each session that is opened, on the thread that opened it.
    init(
        directories: SessionDirectories, environment: RuntimeEnvironment,
        onOpen: @escaping @Sendable (SessionID, SessionRuntime) -> Void
    ) {
        self.directories = directories
        self.environment = environment
        self.onOpen = onOpen
    }

    /// Begins to open what is on disk and not open yet.
    func openExisting() {
        let ids = directories.existing()
        let unknown = state.withLock { state in
            let unknown = ids.filter { state.entries[$0] == nil && !state.isStopping }
            for id in unknown { state.entries[id] = .opening([]) }
            return unknown
        }
        beginOpening(unknown)
    }

    /// Tries again those that another process has.
    func retryHeld() {
        let held = state.withLock { state in
            let held = state.isStopping ? [] : state.held
            for id in held { state.entries[id] = .opening([]) }
            return held
        }
        beginOpening(held)
    }

    /// Whether another process has a session that this service should take over one day.
    var isWaitingForSessions: Bool { state.withLock { !$0.held.isEmpty } }

    /// Whether anything may happen by itself, now or at its time.
    var hasWork: Bool {
        let (runtimes, isWaiting) = state.withLock { state in
            (state.runtimes, state.isOpening || !state.held.isEmpty)
        }
        return isWaiting || runtimes.contains { $0.activity.hasLiveWork }
    }

    /// Calls `then` with the session, on any thread; `creates` makes it if it is not there.
    func access(_ id: SessionID, creates: Bool, then: @escaping @Sendable (Access) -> Void) {
        enum Step {
            case answer(Access)
            case wait
            case open
        }
        let step = state.withLock { state -> Step in
            if state.isStopping { return .answer(.failed(Self.isStopping)) }
            switch state.entries[id] {
            case .open(let runtime): return .answer(.open(runtime))
            case .opening(let waiting):
                state.entries[id] = .opening(waiting + [then])
                return .wait
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

    /// Stops every session, all at the same time. What is being opened now is stopped when it is open.
    func stop() {
        let runtimes = state.withLock { state in
            state.isStopping = true
            defer { state.entries = state.entries.filter { if case .open = $0.value { false } else { true } } }
            return state.runtimes
        }
        for thread in runtimes.map({ runtime in NativeThread { runtime.stop() } }) { thread.join() }
    }

    private func beginOpening(_ ids: [SessionID]) {
        guard !ids.isEmpty else { return }
        NativeThread { [self] in
            for id in ids { open(id) }
        }.letGo()
    }

    private func open(_ id: SessionID) {
        let access: Access
        do throws(TransferFailure) {
            let layout = try directories.make(id)
            let runtime = try openSettingAside(id, layout)
            onOpen(id, runtime)
            access = .open(runtime)
        } catch {
            access = .failed(error)
        }
        conclude(id, access)
    }

    /// A damaged store is set aside by the first attempt; the second begins with a fresh one.
    private func openSettingAside(_ id: SessionID, _ layout: SessionLayout) throws(TransferFailure) -> SessionRuntime {
        do throws(TransferFailure) {
            return try SessionRuntime.open(layout: layout, environment: environment)
        } catch {
            guard error.code == .storeDamaged else { throw error }
            state.withLock { $0.troubles[id] = error }
            ServiceLog.notice("session store damaged", ["session": id.description, "message": error.message])
            return try SessionRuntime.open(layout: layout, environment: environment)
        }
    }

    private func conclude(_ id: SessionID, _ access: Access) {
        let (waiting, settled, isLate) = state.withLock { state in
            guard case .opening(let waiting) = state.entries[id] else {
                preconditionFailure("\(id) is not being opened.")
            }
            switch access {
            case .open(let runtime): state.entries[id] = state.isStopping ? nil : .open(runtime)
            case .failed(let failure): state.entries[id] = .closed(failure)
            case .absent: state.entries[id] = nil
            }
            defer { if !state.isOpening { state.settled = [] } }
            return (waiting, state.isOpening ? [] : state.settled, state.isStopping)
        }
        if case .failed(let failure) = access, failure.code != .sessionInUse {
            ServiceLog.notice("session cannot be opened", ["session": id.description, "message": failure.message])
        }
        for then in waiting { then(isLate ? .failed(Self.isStopping) : access) }
        if isLate, case .open(let runtime) = access { runtime.stop() }
        for then in settled { then() }
    }

    private func summaries() -> [SessionSummary] {
        let (entries, troubles) = state.withLock { ($0.entries, $0.troubles) }
        return entries.sorted { $0.key.description < $1.key.description }.map { id, entry in
            switch entry {
            case .open(let runtime):
                SessionSummary(id: id, trouble: troubles[id], totals: runtime.activity.totals)
            case .closed(let failure):
                SessionSummary(id: id, trouble: failure, totals: SessionTotals())
            case .opening:
                SessionSummary(id: id, trouble: troubles[id], totals: SessionTotals())
            }
        }
    }

    private static let isStopping = TransferFailure(
        .serviceUnavailable, "longhauld is about to stop. Try again in a moment: it starts again by itself.")
}

extension SessionHost.State {
    fileprivate var isOpening: Bool {
        entries.values.contains { if case .opening = $0 { true } else { false } }
    }

    fileprivate var held: [SessionID] {
        entries.compactMap { id, entry in
            if case .closed(let failure) = entry, failure.code == .sessionInUse { id } else { nil }
        }
    }

    fileprivate var runtimes: [SessionRuntime] {
        entries.values.compactMap { if case .open(let runtime) = $0 { runtime } else { nil } }
    }
}
