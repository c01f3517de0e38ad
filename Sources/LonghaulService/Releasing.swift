import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// A connected client's request to run a session itself.
struct SessionClaim: Hashable {
    var session: SessionID
    var client: ClientNumber
}

/// Releases a session to a client that wants to run it. The service does not touch the session while that client is connected; then it
/// waits for the lock, as for any other owner's.
extension SessionHost {
    /// Calls `then` when the lock is free, or with the reason why it is not.
    func release(
        _ id: SessionID, _ mode: ReleaseMode, to client: ClientNumber,
        then: @escaping @Sendable (TransferFailure?) -> Void
    ) {
        let claim = SessionClaim(session: id, client: client)
        state.withLock { _ = $0.claims.insert(claim) }
        fulfil(claim, mode, then)
    }

    /// Reclaims the sessions released to a client that has disconnected.
    func clientLeft(_ client: ClientNumber) {
        let free = state.withLock { state in
            let claims = state.claims.filter { $0.client == client }
            return claims.filter { state.takeBack($0) }.map(\.session)
        }
        reopen(free)
    }

    /// Opens sessions whose entry is `opening`, if they still exist.
    func reopen(_ ids: [SessionID]) {
        for id in ids where !directories.exists(id) { finishOpening(id, nil, .absent) }
        beginOpening(ids.filter { directories.exists($0) })
    }

    private func fulfil(
        _ claim: SessionClaim, _ mode: ReleaseMode, _ then: @escaping @Sendable (TransferFailure?) -> Void
    ) {
        enum Step {
            case answer(TransferFailure?)
            case ask(SessionRuntime)
            case wait
        }
        let step = state.withLock { state -> Step in
            if state.isStopping { return .answer(Self.isStopping) }
            // The client disconnected while the session was being opened.
            guard state.claims.contains(claim) else { return .answer(nil) }
            switch state.entries[claim.session] {
            case .open(let runtime):
                state.entries[claim.session] = .releasing(runtime, [])
                return .ask(runtime)
            case .opening, .held, .releasing: return .wait
            case .released(let client):
                return .answer(client == claim.client ? nil : directories.inUse(claim.session))
            case .closed, .resting, nil:
                state.entries[claim.session] = .released(to: claim.client)
                return .answer(nil)
            }
        }
        switch step {
        case .answer(let failure):
            if failure != nil { forget(claim) }
            then(failure)
        case .wait:
            access(claim.session, creates: false) { [self] access in
                if case .failed(let failure) = access, failure.code == .sessionInUse {
                    forget(claim)
                    then(failure)
                } else {
                    fulfil(claim, mode, then)
                }
            }
        case .ask(let runtime):
            runtime.release(mode) { [self] refusal in
                if let refusal {
                    keep(claim, runtime)
                    then(refusal)
                } else {
                    NativeThread { [self] in
                        runtime.stop()
                        onRelease(claim.session)
                        hasReleased(claim, runtime)
                        then(nil)
                    }.detach()
                }
            }
        }
    }

    private func forget(_ claim: SessionClaim) {
        state.withLock { _ = $0.claims.remove(claim) }
    }

    /// The session continues as before the request.
    private func keep(_ claim: SessionClaim, _ runtime: SessionRuntime) {
        let (waiting, isLate) = state.withLock { state in
            state.claims.remove(claim)
            let waiting = state.endReleasing(claim.session, .open(runtime))
            state.recordOpen(claim.session, runtime)
            return (waiting, state.isStopping)
        }
        for then in waiting { then(isLate ? .failed(Self.isStopping) : .open(runtime)) }
        endUse(of: claim.session)
        if isLate { NativeThread { runtime.stop() }.detach() }
    }

    private func hasReleased(_ claim: SessionClaim, _ runtime: SessionRuntime) {
        let id = claim.session
        let (waiting, isWanted) = state.withLock { state in
            // If work is left, the service keeps running for the session, whichever process owns it.
            if runtime.activity.hasLiveWork { state.wanted.insert(id) } else { state.wanted.remove(id) }
            let isWanted = state.claims.contains(claim)
            let waiting = state.endReleasing(id, isWanted ? .released(to: claim.client) : .opening([]))
            return (waiting, isWanted)
        }
        ServiceLog.notice("session given back", ["session": id.description])
        for then in waiting { then(.failed(directories.inUse(id))) }
        if !isWanted, !state.withLock(\.isStopping) { reopen([id]) }
    }
}

extension SessionHost.State {
    /// Removes a request. Returns whether its session is free, and its entry now `opening`.
    mutating func takeBack(_ claim: SessionClaim) -> Bool {
        guard claims.remove(claim) != nil, !isStopping, case .released(claim.client) = entries[claim.session] else {
            return false
        }
        entries[claim.session] = .opening([])
        return true
    }

    mutating func endReleasing(
        _ id: SessionID, _ entry: SessionHost.Entry
    ) -> [SessionHost.Waiter] {
        guard case .releasing(_, let waiting) = entries[id] else {
            preconditionFailure("\(id) is not being released")
        }
        entries[id] = isStopping ? nil : entry
        return waiting
    }
}
