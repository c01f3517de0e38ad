import Glibc
import LonghaulCore

/// A value that threads share and can wait for.
package final class Monitor<State: Sendable>: @unchecked Sendable {
    // Safe: `state` is only touched with the mutex held, and both C values keep their addresses.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: State) {
        self.state = state
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes all waiting threads.
    package func update<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// The present value.
    package var value: State {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return state
    }

    /// Blocks until `body` returns a value; it is called again after every change, with the lock held.
    package func wait<Result>(
        for what: String, limit: Duration = .patience, until body: (inout State) -> Result?
    ) throws(TimedOut) -> Result {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(limit.microseconds % 1_000_000) * 1_000
        deadline.tv_sec += Int(limit.microseconds / 1_000_000) + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) {
                pthread_cond_broadcast(changed)
                return result
            }
            guard pthread_cond_timedwait(changed, mutex, &deadline) != ETIMEDOUT else {
                if let result = body(&state) { return result }
                throw TimedOut(what: what, seen: "\(state)")
            }
        }
    }
}

/// The error of a wait that reached its limit.
package struct TimedOut: Error, CustomStringConvertible {
    package var what: String
    package var seen: String

    package init(what: String, seen: String) {
        self.what = what
        self.seen = seen
    }

    package var description: String { "timed out waiting for \(what); there was: \(seen.prefix(4_000))" }
}

extension Duration {
    /// How long a test waits for a required event before it fails. A passing test never takes that long.
    package static let patience = Duration.seconds(180)
}
