import LonghaulCore
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// Sessions with nothing to do: they are closed after a moment, so that each costs neither descriptors nor threads. The most recently
/// used ones wait for the next request; if there are more, the others are closed almost at once.
///
/// The session's loop decides, after all earlier requests. Until it has, requests for the session wait, and then open it again. A
/// caller that has the session keeps it open until its call has returned.
extension SessionHost {
    /// A session has nothing to do from now on. Called on its loop's thread.
    func recordIdle(_ id: SessionID) {
        if state.withLock({ $0.idle.record(id) }) { wake() }
    }

    /// Begins to close the sessions that have been idle long enough. Returns when to call again; `nil` for after the next wake.
    func closeIdle(_ now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        let due = openDue(now)
        let (begins, again) = state.withLock { state -> (Bool, SuspendingClock.Instant?) in
            guard !state.idle.isClosing, !state.isStopping else { return (false, due) }
            let next = state.nextIdle()?.at
            state.idle.expectsCall = next != nil
            guard let next, next <= now else { return (false, [next, due].compactMap { $0 }.min()) }
            state.idle.isClosing = true
            return (true, due)
        }
        if begins {
            NativeThread.detach { [self] in
                closeDue()
                state.withLock { $0.idle.isClosing = false }
                wake()
            }
        }
        return again
    }

    /// Opens the closed sessions that are due. Returns when to call again.
    private func openDue(_ now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        let wallTime = SystemClock.wallTime()
        let (ids, next) = state.withLock { $0.takeDue(at: wallTime) }
        beginOpening(ids)
        // The wall clock also advances while the machine sleeps.
        return next.map { now + min($0 - wallTime, .seconds(3_600)) }
    }

    /// Closes the sessions that have been idle long enough. It waits for their disks.
    func closeDue() {
        while let (id, runtime) = state.withLock({ $0.takeIdle(at: .now) }) {
            if runtime.rest() {
                onRelease(id)
                endRest(id, runtime)
            } else {
                stayOpen(id, runtime)
            }
        }
    }

    /// Leaves a session closed that was closed as idle under an earlier service. Returns `false` if it must be opened.
    func leaveAtRest(_ id: SessionID) -> Bool {
        guard let rest = SessionRest(reading: directories.layout(id)), isUndisturbed(id, rest),
            rest.due.map({ $0 > SystemClock.wallTime() }) ?? true
        else { return false }
        let settled = state.withLock { state -> [@Sendable () -> Void]? in
            // A request may have arrived.
            guard case .opening(let waiting) = state.entries[id], waiting.isEmpty else { return nil }
            state.entries[id] = state.isStopping ? nil : .resting(rest)
            state.recordRest(rest)
            return state.takeSettled()
        }
        for then in settled ?? [] { then() }
        if rest.due != nil { wake() }
        return settled != nil
    }

    func endUse(of id: SessionID) {
        if state.withLock({ $0.idle.endUse(of: id) }) { wake() }
    }

    /// Whether no other process has opened a closed session. Later openings are detected.
    private func isUndisturbed(_ id: SessionID, _ rest: SessionRest) -> Bool {
        onRest(id)
        return rest.holds(in: directories.layout(id)) && !SessionLock.isHeld(directories.layout(id))
    }

    private func endRest(_ id: SessionID, _ runtime: SessionRuntime) {
        let rest = runtime.activity.rest.flatMap { isUndisturbed(id, $0) ? $0 : nil }
        let (waiting, opens) = state.withLock { state -> ([Waiter], Bool) in
            let waiting = state.endReleasing(id, rest.map(Entry.resting) ?? .opening([]))
            if state.isStopping { return (waiting, false) }
            if let rest { state.recordRest(rest) }
            if waiting.isEmpty { return ([], rest == nil) }
            state.entries[id] = .opening(waiting)
            return ([], true)
        }
        for then in waiting { then(.failed(Self.isStopping)) }
        if opens { reopen([id]) }
    }

    private func stayOpen(_ id: SessionID, _ runtime: SessionRuntime) {
        let (waiting, isLate) = state.withLock { state in
            let waiting = state.endReleasing(id, .open(runtime))
            state.recordOpen(id, runtime)
            return (waiting, state.isStopping)
        }
        for then in waiting { then(isLate ? .failed(Self.isStopping) : .open(runtime)) }
        endUse(of: id)
        if isLate { runtime.stop() }
    }
}

extension SessionHost.State {
    /// Notes a session that is open from now on, and keeps it open until `endUse`.
    mutating func recordOpen(_ id: SessionID, _ runtime: SessionRuntime) {
        idle.beginUse(of: id, isIdle: runtime.activity.isIdle)
    }

    /// Notes when a closed session must be opened.
    mutating func recordRest(_ rest: SessionRest) {
        nextDue = [nextDue, rest.due].compactMap { $0 }.min()
    }

    /// Takes the closed sessions that are due, and returns when the next one may be.
    mutating func takeDue(at now: WallTime) -> ([SessionID], next: WallTime?) {
        guard let date = nextDue, date <= now, !isStopping else { return ([], nextDue) }
        nextDue = nil
        var due: [SessionID] = []
        for case (let id, .resting(let rest)) in entries {
            if let date = rest.due, date <= now { due.append(id) } else { recordRest(rest) }
        }
        for id in due { entries[id] = .opening([]) }
        return (due, nextDue)
    }

    /// Returns the idle session to close next, and when.
    mutating func nextIdle() -> (id: SessionID, at: SuspendingClock.Instant)? {
        idle.next { id in if case .open(let runtime) = entries[id] { runtime.activity.isIdle } else { false } }
    }

    /// Takes an idle session that is due. Requests for it wait from now on.
    mutating func takeIdle(at now: SuspendingClock.Instant) -> (SessionID, SessionRuntime)? {
        guard !isStopping, let (id, date) = nextIdle(), date <= now, case .open(let runtime) = entries[id]
        else { return nil }
        idle.forget(id)
        entries[id] = .releasing(runtime, [])
        return (id, runtime)
    }
}
