import LonghaulCore
import LonghaulSystem
import Synchronization

/// A file that is to be moved into place.
struct PlaceJob: Sendable {
    var ticket: Ticket
    var plan: PlacePlan
    /// The content of the file; `nil` if it was written already.
    var body: HeldBody?
}

/// The queue of held bodies, for the threads that place them: one batch at a time in each directory. Bodies that arrive
/// meanwhile go into the next batch, so that many share its waits for the disk.
final class PlacingQueue: Sendable {
    private struct State {
        var jobs: [PlaceJob] = []
        var busyDirectories: Set<String> = []
        var waiters = 0
        var isClosed = false

        mutating func takeBatch(_ limit: Int) -> [PlaceJob] {
            var batch: [PlaceJob] = []
            if busyDirectories.isEmpty {
                batch = Array(jobs.prefix(limit))
                jobs.removeFirst(batch.count)
            } else {
                var rest: [PlaceJob] = []
                for job in jobs {
                    let mayBeTaken = batch.count < limit && !busyDirectories.contains(job.plan.directory)
                    if mayBeTaken { batch.append(job) } else { rest.append(job) }
                }
                if batch.isEmpty { return [] }
                jobs = rest
            }
            for job in batch { busyDirectories.insert(job.plan.directory) }
            return batch
        }
    }

    /// Each batch costs two syncs and a commit, whatever its size. Many bodies at once are followed by more a moment
    /// later: then the next batch starts no earlier than this number of nanoseconds after this one.
    private static let interval: Int64 = 10_000_000
    private static let denseBatch = 16
    private let state = Mutex(State())
    private let doorbell = Semaphore()

    func add(_ job: PlaceJob) {
        let isWaitedFor = state.withLock { state in
            state.jobs.append(job)
            guard state.waiters > 0, !state.busyDirectories.contains(job.plan.directory) else { return false }
            state.waiters -= 1
            return true
        }
        if isWaitedFor { doorbell.raise() }
    }

    /// Waits for jobs and takes up to `limit` of them, to be passed to `finish`; `nil` once the queue is closed and empty.
    func next(upTo limit: Int) -> [PlaceJob]? {
        while true {
            let (batch, isOver) = state.withLock { state in
                let batch = state.takeBatch(limit)
                let isOver = state.isClosed && state.jobs.isEmpty
                if batch.isEmpty, !isOver { state.waiters += 1 }
                return (batch, isOver)
            }
            if !batch.isEmpty { return batch }
            if isOver { return nil }
            doorbell.wait()
        }
    }

    /// Ends a batch: its directories are free for the next one. Pauses first if the batch was large.
    ///
    /// - Parameter begun: When the batch was taken, in monotonic nanoseconds.
    func finish(_ batch: [PlaceJob], begun: Int64) {
        let rest = begun + Self.interval - SystemClock.monotonic()
        if batch.count >= Self.denseBatch, rest > 0 { NativeThread.sleep(nanoseconds: rest) }
        let woken = state.withLock { state in
            for job in batch { state.busyDirectories.remove(job.plan.directory) }
            // The caller takes the waiting jobs itself; waiters only have to notice that the queue was closed.
            let woken = state.isClosed ? state.waiters : 0
            state.waiters -= woken
            return woken
        }
        doorbell.raise(woken)
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
