import CLinux
import Glibc
import LonghaulCore
import LonghaulIPC

/// Makes this process the only service of its user: kernel locks in the state and in the runtime directory. The kernel
/// drops them when the process ends, however it ends.
struct ServiceLocks {
    /// How long one is waited for that does not listen, and how often it is looked at, in milliseconds.
    private static let patience: Int32 = 8_000
    private static let step: Int32 = 100

    private let locks: [Descriptor]

    /// `nil` when another service has one of them. A service that is about to stop is waited for.
    ///
    /// `ownsSocket` says that systemd's socket was handed over: that the socket answers then proves nothing about another service.
    static func take(_ paths: LonghaulPaths, ownsSocket: Bool) throws(TransferFailure) -> ServiceLocks? {
        var locks: [Descriptor] = []
        for path in [paths.stateDirectory + "/service.lock", paths.runtimeDirectory + "/service.lock"] {
            guard let lock = try take(path, otherListensAt: ownsSocket ? nil : paths.socket) else { return nil }
            locks.append(lock)
        }
        return ServiceLocks(locks: locks)
    }

    private static func take(_ path: String, otherListensAt socket: String?) throws(TransferFailure) -> Descriptor? {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else {
            throw TransferFailure(errno == ENOSPC ? .diskFull : .fileFailed, "\(path) cannot be opened.", error: errno)
        }
        let lock = Descriptor(number)
        var error = longhaul_lock_exclusive(number)
        var patience = Self.patience
        while error == -EAGAIN, patience > 0 {
            if let socket, case .success = UnixSocket.connect(path: socket) { return nil }
            // It has the lock and does not listen: it starts, and listens in a moment, or it stops and is gone then.
            error = longhaul_lock_exclusive_within(number, Self.step)
            patience -= Self.step
        }
        guard error == 0 else {
            if error == -EAGAIN { return nil }
            throw TransferFailure(.fileFailed, "\(path) cannot be locked.", error: -error)
        }
        return lock
    }
}
