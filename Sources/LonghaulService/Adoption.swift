import LonghaulCore
import LonghaulIPC
import LonghaulRuntime
import LonghaulSystem
import Synchronization

/// Sessions that another process runs.
///
/// Nothing is asked again and again. A thread for each such session sleeps in the kernel until its lock is free. It cannot be
/// interrupted and need not be: it holds nothing but the lock's file, and the service ends with `_exit`.
extension SessionHost {
    /// Ends an opening that did not get the lock.
    func hold(_ id: SessionID, _ lock: SessionLock) {
        ServiceLog.notice("session run by another process", ["session": id.description])
        settle(id, .held(lock), .failed(directories.inUse(id)))
        NativeThread { [self] in
            do throws(TransferFailure) {
                try lock.wait()
                adopt(id, lock)
            } catch {
                giveUp(id, lock, error)
            }
        }.letGo()
    }

    /// A question about a session that another process has, or had until a moment ago: then it waits for the opening, so
    /// that nobody is told of an owner that is gone.
    func accessHeld(_ id: SessionID, _ lock: SessionLock, creates: Bool, then: @escaping Waiter) {
        do throws(TransferFailure) {
            // The open file is the one on which the thread waits: what is taken here, it has.
            guard try lock.take() else { return then(.failed(directories.inUse(id))) }
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

    /// A client wants the service to take a session over as soon as it can, and to stay until then. What was given back
    /// to that client is taken again.
    func adopt(_ id: SessionID, from client: ClientNumber) {
        guard directories.exists(id) else { return }
        let isFree = state.withLock { state in
            state.wanted.insert(id)
            return state.takeBack(ReleaseWish(session: id, client: client))
        }
        if isFree { reopen([id]) }
        openExisting()
    }

    /// The other process is gone, or let go.
    private func adopt(_ id: SessionID, _ lock: SessionLock) {
        let isOurs = state.withLock { state in
            switch state.entries[id] {
            // A question came first and waits for what follows here.
            case .opening: return true
            case .held where !state.isStopping:
                state.entries[id] = .opening([])
                return true
            case .held: return false
            case .open, .releasing, .released, .closed, nil: preconditionFailure("\(id) is not being opened")
            }
        }
        guard isOurs else { return }
        ServiceLog.notice("session taken over", ["session": id.description])
        openLocked(id, lock)
    }

    /// The kernel refuses to wait. The session is tried again when it is asked for.
    private func giveUp(_ id: SessionID, _ lock: SessionLock, _ failure: TransferFailure) {
        ServiceLog.notice("session cannot be waited for", ["session": id.description, "message": failure.message])
        state.withLock { state in
            if case .held(let held) = state.entries[id], held === lock { state.entries[id] = .closed(failure) }
        }
    }
}
