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
        let wish = SessionClaim(session: id, client: client)
        state.withLock { _ = $0.wishes.insert(wish) }
        fulfil(wish, mode, then)
    }

    /// Reclaims the sessions released to a client that has disconnected.
    func clientLeft(_ client: ClientNumber) {
        let free = state.withLock { state in
            let wishes = state.wishes.filter { $0.client == client }
            return wishes.filter { state.takeBack($0) }.map(\.session)
        }
        reopen(free)
    }

    /// Opens sessions whose entry is `opening`, if they still exist.
    func reopen(_ ids: [SessionID]) {
        for id in ids where !directories.exists(id) { settle(id, nil, .absent) }
        beginOpening(ids.filter { directories.exists($0) })
    }

    private func fulfil(
        _ wish: SessionClaim, _ mode: ReleaseMode, _ then: @escaping @Sendable (TransferFailure?) -> Void
    ) {
        enum Step {
            case answer(TransferFailure?)
            case ask(SessionRuntime)
            case wait
        }
        let step = state.withLock { state -> Step in
            if state.isStopping { return .answer(Self.isStopping) }
            // The client disconnected while the session was being opened.
            guard state.wishes.contains(wish) else { return .answer(nil) }
            switch state.entries[wish.session] {
            case .open(let runtime):
                state.entries[wish.session] = .releasing(runtime, [])
                return .ask(runtime)
            case .opening, .held, .releasing: return .wait
            case .released(let client):
                return .answer(client == wish.client ? nil : directories.inUse(wish.session))
            case .closed, nil:
                state.entries[wish.session] = .released(to: wish.client)
                return .answer(nil)
            }
        }
        switch step {
        case .answer(let failure):
            if failure != nil { forget(wish) }
            then(failure)
        case .wait:
            access(wish.session, creates: false) { [self] access in
                if case .failed(let failure) = access, failure.code == .sessionInUse {
                    forget(wish)
                    then(failure)
                } else {
                    fulfil(wish, mode, then)
                }
            }
        case .ask(let runtime):
            runtime.release(mode) { [self] refusal in
                if let refusal {
                    keep(wish, runtime)
                    then(refusal)
                } else {
                    NativeThread { [self] in
                        runtime.stop()
                        onRelease(wish.session)
                        hasReleased(wish, runtime)
                        then(nil)
                    }.letGo()
                }
            }
        }
    }

    private func forget(_ wish: SessionClaim) {
        state.withLock { _ = $0.wishes.remove(wish) }
    }

    /// The session continues as before the request.
    private func keep(_ wish: SessionClaim, _ runtime: SessionRuntime) {
        let (waiting, isLate) = state.withLock { state in
            state.wishes.remove(wish)
            let waiting = state.endReleasing(wish.session, .open(runtime))
            return (waiting, state.isStopping)
        }
        for then in waiting { then(isLate ? .failed(Self.isStopping) : .open(runtime)) }
        if isLate { NativeThread { runtime.stop() }.letGo() }
    }

    private func hasReleased(_ wish: SessionClaim, _ runtime: SessionRuntime) {
        let id = wish.session
        let (waiting, isWanted) = state.withLock { state in
            // If work is left, the service keeps running for the session, whichever process owns it.
            if runtime.activity.hasLiveWork { state.wanted.insert(id) } else { state.wanted.remove(id) }
            let isWanted = state.wishes.contains(wish)
            let waiting = state.endReleasing(id, isWanted ? .released(to: wish.client) : .opening([]))
            return (waiting, isWanted)
        }
        ServiceLog.notice("session given back", ["session": id.description])
        for then in waiting { then(.failed(directories.inUse(id))) }
        if !isWanted, !state.withLock(\.isStopping) { reopen([id]) }
    }
}

extension SessionHost.State {
    /// Removes a request. Returns whether its session is free, and its entry now `opening`.
    mutating func takeBack(_ wish: SessionClaim) -> Bool {
        guard wishes.remove(wish) != nil, !isStopping, case .released(wish.client) = entries[wish.session] else {
            return false
        }
        entries[wish.session] = .opening([])
        return true
    }

    fileprivate mutating func endReleasing(
        _ id: SessionID, _ entry: SessionHost.Entry
    ) -> [SessionHost.Waiter] {
        guard case .releasing(_, let waiting) = entries[id] else {
            preconditionFailure("\(id) is not being released")
        }
        entries[id] = isStopping ? nil : entry
        return waiting
    }
}
