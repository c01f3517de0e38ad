package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    // The module that is loaded first defines `timespec`.
    import CPlatform
    import Glibc
#endif

/// A value that threads change, and whose change one thread awaits: a mutex with a condition variable.
///
/// `@unchecked Sendable`: the value is used only while the mutex is held. The C objects are created once, never moved,
/// and freed with the last reference.
package final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        precondition(pthread_mutex_init(mutex, nil) == 0, "no mutex")
        precondition(pthread_cond_init(condition, nil) == 0, "no condition")
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Changes the value, and wakes the waiting thread.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_mutex_unlock(mutex)
            // Signal after unlocking: a thread that is woken earlier would wait for the mutex, and wake twice.
            pthread_cond_signal(condition)
        }
        return body(&value)
    }

    /// Waits while the condition holds, until a deadline at most, which follows the wall clock even if the clock is set.
    /// Then calls `body`.
    package func wait<Result>(
        until date: WallTime?, while isWaitedFor: (Value) -> Bool, _ body: (inout Value) -> Result
    ) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while isWaitedFor(value) {
            guard let date else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            var deadline = timespec(
                tv_sec: Int(clamping: date.seconds), tv_nsec: Int(date.microsecondOfSecond * 1_000))
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
        }
        return body(&value)
    }
}
