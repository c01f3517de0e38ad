import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Notices that another program has taken the place of the one that this service runs, as an upgrade does it, and becomes
/// that program when nothing is under way.
///
/// The kernel keeps the old file for as long as it runs, so a service with a transfer under way is left in peace. It is the
/// same process before and after: who looks after it, systemd or nobody, has nothing to do, and there is no moment in which
/// transfers that wait have no service.
final class ProgramExchange {
    /// Readable when a file in the program's directory has changed; `nil` where the kernel cannot watch.
    var changes: Descriptor? { watch?.descriptor }
    private let watch: DirectoryWatch?
    /// Whether this service is leaving in order to become the new program.
    private(set) var hasBegun = false
    private let path: String
    private let own: FileIdentity?
    private var isReplaced = false
    private var asksAgainAt: SuspendingClock.Instant?

    private static let pause = Duration.seconds(1)
    private static let patience: Int32 = 10_000

    init(program path: String = ThisProcess.program) {
        self.path = path
        own = Files.identity(path, followsLinks: false)
        watch = own == nil ? nil : try? DirectoryWatch(Directory.of(path), for: [.replaced, .written, .permitted])
    }

    /// Call it when `changes` is readable.
    func look() {
        watch?.take()
        // A program that was removed has no follower.
        let found = Files.identity(path, followsLinks: false)
        isReplaced = found != nil && found != own && Files.allows(.execute, path)
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
        let words = [path, "--idle-exit", String(options.idleExitSeconds)]
        let error = ChildProgram.become(path, words, listener: handedOver)
        return TransferFailure(.serviceUnavailable, "Could not execute \(path).", error: error)
    }

    /// Whether the new program runs here: the libraries that it needs may come a moment later, or never.
    private func isFit() -> Bool {
        let variables = ProcessEnvironment.current.map { $0 + "=" + $1 }
        let program = ChildProgram(path, [path, "--version"], environment: variables)
        // One that cannot be run is not fit.
        return (try? program.run(withinMilliseconds: Self.patience)) == 0
    }
}
