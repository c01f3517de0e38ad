import LonghaulCore
import LonghaulSystem
import Synchronization

/// A file that is to get its name.
struct PlaceJob: Sendable {
    var ticket: Ticket
    var plan: PlacePlan
    /// What is to be in the file; `nil` when it is there already.
    var body: HeldBody?
}

/// Held bodies that are to be placed, for the threads that do it: one batch at a time in each directory. Whoever comes
/// meanwhile is part of the next batch, so that many share its waits for the disk.
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

    /// Each batch costs two syncs and a commit, whatever its size. Where many come at once they come again in a moment: then
    /// the next batch does not begin before so many nanoseconds after this one.
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

    /// Waits for jobs and takes up to `limit` of them, to be given to `finish`; `nil` once the queue is closed and empty.
    func take(upTo limit: Int) -> [PlaceJob]? {
        while true {
            let (batch, isOver) = state.withLock { state in
                let batch = state.takeBatch(limit)
                let isOver = state.isClosed && state.jobs.isEmpty
                if batch.isEmpty, !isOver { state.waiters += 1 }
                return (batch, isOver)
            }
            if !batch.isEmpty { return batch }
            if isOver { return nil }
            doorbell.take()
        }
    }

    /// A batch is done: its directories are free for the next one, in a dense flow after a rest.
    ///
    /// - Parameter begun: When it was taken, in monotonic nanoseconds.
    func finish(_ batch: [PlaceJob], begun: Int64) {
        let rest = begun + Self.interval - SystemClock.monotonic()
        if batch.count >= Self.denseBatch, rest > 0 { NativeThread.sleep(nanoseconds: rest) }
        let woken = state.withLock { state in
            for job in batch { state.busyDirectories.remove(job.plan.directory) }
            // Who calls this takes what is there; the others look whether that is the end.
            let woken = state.isClosed ? state.waiters : 0
            state.waiters -= woken
            return woken
        }
        doorbell.raise(woken)
    }

    /// Lets the threads go once the jobs that are there are done.
    func close() {
        let waiters = state.withLock { state in
            defer { state.waiters = 0 }
            state.isClosed = true
            return state.waiters
        }
        doorbell.raise(waiters)
    }
}
