import CLinux
import Glibc
import LonghaulCore
import LonghaulIPC

/// Notices that another program has taken the place of the one that this service runs, as an upgrade does it, and becomes
/// that program when nothing is under way.
///
/// The kernel keeps the old file for as long as it runs, so a service with a transfer under way is left in peace. It is the
/// same process before and after: who looks after it, systemd or nobody, has nothing to do, and there is no moment in which
/// transfers that wait have no service.
final class ProgramExchange {
    /// Readable when a file in the program's directory has changed; `nil` where the kernel cannot watch.
    let changes: Descriptor?
    /// Whether this service is leaving in order to become the new program.
    private(set) var hasBegun = false
    private let path: String
    private let own: FileIdentity?
    private var isReplaced = false
    private var asksAgainAt: SuspendingClock.Instant?

    private static let pause = Duration.seconds(1)
    private static let patience: Int32 = 10_000

    init(program path: String = ProgramExchange.runningProgram) {
        self.path = path
        own = FileIdentity(path)
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        let number = own == nil ? -1 : longhaul_watch_files(directory.isEmpty ? "/" : directory)
        changes = number >= 0 ? Descriptor(number) : nil
    }

    /// Call it when `changes` is readable.
    func look() {
        if let changes { longhaul_watch_clear(changes.number) }
        // A program that was removed has no follower.
        let found = FileIdentity(path)
        isReplaced = found != nil && found != own && access(path, X_OK) == 0
    }

    /// Begins when there is a new program and nothing is moving, and says otherwise when it wants to be asked again.
    func turn(isMoving: () -> Bool, now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        guard isReplaced, !hasBegun else { return nil }
        if let asksAgainAt, now < asksAgainAt { return asksAgainAt }
        guard !isMoving(), isFit() else {
            asksAgainAt = now + Self.pause
            return asksAgainAt
        }
        hasBegun = true
        return nil
    }

    /// Becomes the new program, with the socket that systemd has handed over. Returns only when that fails.
    func become(_ options: ServiceOptions, _ handedOver: Descriptor?) -> TransferFailure {
        if let handedOver {
            _ = fcntl(handedOver.number, F_SETFD, 0)
            setenv("LISTEN_PID", String(getpid()), 1)
            setenv("LISTEN_FDS", "1", 1)
        }
        longhaul_restore_descriptor_limit()
        CStrings.with([path, "--idle-exit", String(options.idleExitSeconds)]) { _ = execv(path, $0) }
        return TransferFailure(.serviceUnavailable, "\(path) cannot be executed.", error: errno)
    }

    /// Whether the new program runs here: the libraries that it needs may come a moment later, or never.
    private func isFit() -> Bool {
        CStrings.with([path, "--version"]) { arguments in
            longhaul_run(path, arguments, longhaul_environment(), Self.patience)
        } == 0
    }

    private static var runningProgram: String {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        return count > 0 ? String(decoding: path[..<count], as: UTF8.self) : ""
    }
}
