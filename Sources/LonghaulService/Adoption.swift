import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// Sessions that another process runs.
///
/// There is no polling: for each such session a thread sleeps in the kernel until the lock is free. The thread cannot be interrupted,
/// and need not be: it holds only the lock's file, and the service ends with `_exit`.
extension SessionHost {
    /// Ends an opening that did not get the lock.
    func hold(_ id: SessionID, _ lock: SessionLock) {
        finishOpening(id, .held(lock), .failed(directories.inUse(id)))
        // From now on, each request checks the lock.
        ServiceLog.notice("session run by another process", ["session": id.description])
        NativeThread { [self] in
            do throws(TransferFailure) {
                try lock.wait()
                adopt(id, lock)
            } catch {
                giveUp(id, lock, error)
            }
        }.detach()
    }

    /// Handles a request for a session that another process has, or had until a moment ago: in the latter case the request waits
    /// for the opening, so that its reply does not name an owner that has exited.
    func accessHeld(_ id: SessionID, _ lock: SessionLock, creates: Bool, then: @escaping Waiter) {
        do throws(TransferFailure) {
            // The thread waits on the same open file, so a lock taken here is the thread's lock too.
            guard try lock.acquire() else { return then(.failed(directories.inUse(id))) }
        } catch {
            return then(.failed(error))
        }
        let isNoted = state.withLock { state in
            guard !state.isStopping, case .held(let held) = state.entries[id], held === lock else { return false }
            state.entries[id] = .opening([then])
            return true
        }
        if !isNoted { access(id, creates: creates, then: then) }
    }

    /// A client requests that the service take over a session as soon as possible, and run until then. A session released to that
    /// client is reclaimed.
    func adopt(_ id: SessionID, from client: ClientNumber) {
        guard directories.exists(id) else { return }
        let isFree = state.withLock { state in
            state.wanted.insert(id)
            return state.takeBack(SessionClaim(session: id, client: client))
        }
        if isFree { reopen([id]) }
        openExisting()
    }

    /// The other process has exited or released the lock.
    private func adopt(_ id: SessionID, _ lock: SessionLock) {
        let isOurs = state.withLock { state in
            switch state.entries[id] {
            // A request came first and waits for this opening.
            case .opening: return true
            case .held where !state.isStopping:
                state.entries[id] = .opening([])
                return true
            case .held: return false
            case .open, .releasing, .released, .closed, .resting, nil: preconditionFailure("\(id) is not being opened")
            }
        }
        guard isOurs else { return }
        ServiceLog.notice("session taken over", ["session": id.description])
        openLocked(id, lock)
    }

    /// The kernel refuses to wait. The next request tries again.
    private func giveUp(_ id: SessionID, _ lock: SessionLock, _ failure: TransferFailure) {
        ServiceLog.notice("session cannot be waited for", ["session": id.description, "message": failure.message])
        state.withLock { state in
            if case .held(let held) = state.entries[id], held === lock { state.entries[id] = .closed(failure) }
        }
    }
}
