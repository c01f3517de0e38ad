import CPlatform

/// A semaphore: threads sleep until there is work. Each raise wakes one thread, now or at its next wait.
///
/// `@unchecked Sendable`: the C object is created once, never moved, freed with the last reference, and thread-safe.
package final class Semaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutableRawPointer

    package init() {
        guard let semaphore = longhaul_semaphore_create() else { preconditionFailure("no semaphore") }
        self.semaphore = semaphore
    }

    deinit {
        longhaul_semaphore_destroy(semaphore)
    }

    package func raise() {
        longhaul_semaphore_raise(semaphore)
    }

    package func raise(_ count: Int) {
        for _ in 0..<count { raise() }
    }

    package func wait() {
        longhaul_semaphore_wait(semaphore)
    }
}
