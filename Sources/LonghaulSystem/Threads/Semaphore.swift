#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Lets threads sleep until there is work: each raise wakes one of them, now or when it comes to wait.
///
/// `@unchecked Sendable`: the C object is made once, never moved, freed with the last reference, and meant for many threads.
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

    package func take() {
        while sem_wait(semaphore) != 0 {}
    }
}
