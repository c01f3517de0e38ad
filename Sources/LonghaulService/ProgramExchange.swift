import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Detects that another program has replaced this service's program, as an upgrade does, and executes it when no transfer is active.
///
/// The kernel keeps the old file while it runs, so a service with an active transfer continues. The process stays the same, so a
/// supervisor such as systemd need not act, and waiting transfers always have a service.
final class ProgramExchange {
    /// Readable after a change in the program's directory; `nil` if the kernel cannot watch it.
    var changes: Descriptor? { watch?.descriptor }
    private let watch: DirectoryWatch?
    /// Whether this service is exiting in order to execute the new program.
    private(set) var hasBegun = false
    private let path: String
    private let own: FileIdentity?
    private var isReplaced = false
    private var nextQueryAt: SuspendingClock.Instant?

    private static let pause = Duration.seconds(1)
    private static let patience: Int32 = 10_000

    init(program path: String = ThisProcess.program) {
        self.path = path
        own = Files.identity(path, followsLinks: false)
        watch = own == nil ? nil : try? DirectoryWatch(Directory.of(path), for: [.replaced, .written, .permitted])
    }

    /// Call it when `changes` is readable.
    func check() {
        watch?.readEvents()
        // A removed program has no successor.
        let found = Files.identity(path, followsLinks: false)
        isReplaced = found != nil && found != own && Files.allows(.execute, path)
    }

    /// Begins if there is a new program and no transfer is active; otherwise returns when to call again.
    func turn(isMoving: () -> Bool, now: SuspendingClock.Instant) -> SuspendingClock.Instant? {
        guard isReplaced, !hasBegun else { return nil }
        if let nextQueryAt, now < nextQueryAt { return nextQueryAt }
        guard !isMoving(), isFit() else {
            nextQueryAt = now + Self.pause
            return nextQueryAt
        }
        hasBegun = true
        return nil
    }

    /// Executes the new program, with the socket that systemd passed. Returns only if that fails.
    func become(_ options: ServiceOptions, _ handedOver: Descriptor?) -> TransferFailure {
        let words = [path, "--idle-exit", String(options.idleExitSeconds)]
        let error = ChildProgram.become(path, words, listener: handedOver)
        return TransferFailure(.serviceUnavailable, "Could not execute \(path).", error: error)
    }

    /// Whether the new program runs here: its libraries may be installed a moment later, or never.
    private func isFit() -> Bool {
        let variables = ProcessEnvironment.current.map { $0 + "=" + $1 }
        let program = ChildProgram(path, [path, "--version"], environment: variables)
        // A program that cannot run is not fit.
        return (try? program.run(withinMilliseconds: Self.patience)) == 0
    }
}
