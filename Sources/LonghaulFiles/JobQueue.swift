import LonghaulCore
import LonghaulSystem
import Synchronization

/// Work that may wait for a disk, in order of arrival, for the worker threads that take from it.
final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        var jobs: [Job] = []
        /// Threads that wait to be woken.
        var waiters = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let doorbell = Semaphore()

    func add(_ job: Job) {
        let isWaitedFor = state.withLock { state in
            state.jobs.append(job)
            guard state.waiters > 0 else { return false }
            state.waiters -= 1
            return true
        }
        // A busy thread checks the queue again before it waits, so only a waiting thread costs a system call.
        if isWaitedFor { doorbell.raise() }
    }

    /// Waits for jobs and takes up to `limit` of them; `nil` once the queue is closed and empty.
    func next(upTo limit: Int) -> [Job]? {
        while true {
            let (taken, isClosed) = state.withLock { state in
                let taken = Array(state.jobs.prefix(limit))
                state.jobs.removeFirst(taken.count)
                if taken.isEmpty, !state.isClosed { state.waiters += 1 }
                return (taken, state.isClosed)
            }
            if !taken.isEmpty { return taken }
            if isClosed { return nil }
            doorbell.wait()
        }
    }

    /// Ends the threads after the queued jobs are done.
    func close() {
        let waiters = state.withLock { state in
            defer { state.waiters = 0 }
            state.isClosed = true
            return state.waiters
        }
        doorbell.raise(waiters)
    }
}
