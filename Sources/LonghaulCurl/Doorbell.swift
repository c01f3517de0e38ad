import CLinux
import Glibc
import LonghaulCore

/// Lets threads sleep until there is work: each ring wakes one of them, now or when it comes to wait.
final class Doorbell: Sendable {
    private let semaphore: Int32

    init() throws(TransferFailure) {
        semaphore = longhaul_semaphore_create()
        guard semaphore >= 0 else { throw systemFailure(-semaphore) }
    }

    deinit { Glibc.close(semaphore) }

    func wait() { _ = longhaul_semaphore_take(semaphore) }

    func ring(_ count: UInt64 = 1) {
        if count > 0 { _ = longhaul_semaphore_raise(semaphore, count) }
    }
}
