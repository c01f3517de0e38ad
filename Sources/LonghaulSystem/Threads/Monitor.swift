package import LonghaulCore

#if canImport(Darwin)
    import Darwin
#else
    // Whichever of the two is loaded first has `timespec`.
    import CLinux
    import Glibc
#endif

/// A value that threads change, and that one thread waits for to change: a mutex with a condition variable.
///
/// `@unchecked Sendable`: the value is touched only while the mutex is held; the C objects are made once, never moved and
/// freed with the last reference.
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

    /// Changes the value, and wakes the thread that waits for it.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_mutex_unlock(mutex)
            // After the mutex: a thread that is woken before waits for it at once, and is woken twice.
            pthread_cond_signal(condition)
        }
        return body(&value)
    }

    /// Waits as long as the value is so, until a date at most, which follows the wall clock when that is set; then does
    /// something with it.
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
