#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A semaphore: threads sleep until there is work. Each raise wakes one thread, now or at its next wait.
///
/// `@unchecked Sendable`: the C object is created once, never moved, freed with the last reference, and thread-safe.
package final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init() {
        precondition(sem_init(semaphore, 0, 0) == 0, "no semaphore")
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    package func raise() {
        sem_post(semaphore)
    }

    package func raise(_ count: Int) {
        for _ in 0..<count { raise() }
    }

    package func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
