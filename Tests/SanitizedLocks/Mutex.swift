// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// ThreadSanitizer does not see the futex of `Synchronization.Mutex` on Linux, and reports each value that a mutex protects as a
// race. `LONGHAUL_TIER=threads` compiles the sources with this module in place of Synchronization.
import Glibc

/// `Synchronization.Mutex`'s interface over a lock that ThreadSanitizer sees.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    public init(_ value: consuming sending Value) {
        pthread_mutex_init(lock, nil)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        nonisolated(unsafe) let value = value
        return try body(&value.pointee)
    }
}
