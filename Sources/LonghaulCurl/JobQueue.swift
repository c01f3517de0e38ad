import CLinux
import Glibc
import LonghaulCore
import Synchronization

/// Work that may wait for a disk, in order of arrival, for the worker threads that take from it.
final class JobQueue<Job: Sendable>: Sendable {
    private struct State {
        var jobs: [Job] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let available: Int32

    init() throws(TransferFailure) {
        available = longhaul_semaphore_create()
        guard available >= 0 else { throw systemFailure(-available) }
    }

    deinit { Glibc.close(available) }

    func add(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        _ = longhaul_semaphore_raise(available, 1)
    }

    /// Waits for jobs and takes up to `limit` of them; `nil` once the queue is closed and empty.
    func take(upTo limit: Int) -> [Job]? {
        while true {
            let (taken, isClosed) = state.withLock { state in
                let taken = Array(state.jobs.prefix(limit))
                state.jobs.removeFirst(taken.count)
                return (taken, state.isClosed)
            }
            if !taken.isEmpty { return taken }
            if isClosed { return nil }
            // One for each job: a batch leaves some over, which cost an idle turn each.
            _ = longhaul_semaphore_take(available)
        }
    }

    /// Lets `waiters` threads go once the jobs that are there are done.
    func close(waiters: Int) {
        state.withLock { $0.isClosed = true }
        _ = longhaul_semaphore_raise(available, UInt64(waiters))
    }
}
