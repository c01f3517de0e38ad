import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Makes this process the only service of its state directory: a kernel lock, which the kernel drops when the process
/// ends, however it ends.
struct ServiceLock {
    /// How long one is waited for that does not listen, and how often it is looked at, in milliseconds.
    private static let patience: Int32 = 8_000
    private static let step: Int32 = 100
    /// How often a service that waits under systemd looks whether it is to stop, in milliseconds.
    private static let longStep: Int32 = 1_000

    private let file: Descriptor
    private let path: String

    /// `nil` when another service has it. A service that is about to stop is waited for.
    static func take(_ paths: LonghaulPaths) throws(TransferFailure) -> ServiceLock? {
        let lock = try ServiceLock(paths)
        var patience = Self.patience
        var isTaken = try lock.isTaken(within: 0)
        while !isTaken, patience > 0 {
            if case .success = ServiceTraces.connect(paths) { return nil }
            // It has the lock and does not listen: it starts, and listens in a moment, or it stops and is gone then.
            isTaken = try lock.isTaken(within: step)
            patience -= step
        }
        return isTaken ? lock : nil
    }

    /// For a service that systemd looks after: as long as another one has the lock, which a program started, this one
    /// waits for it to leave. Were it to end instead, systemd would start it again and again. `nil` when it is told to stop.
    static func waitForTurn(
        _ paths: LonghaulPaths, signals: StopSignals, notifier: ServiceNotifier
    ) throws(TransferFailure) -> ServiceLock? {
        let lock = try ServiceLock(paths)
        if try lock.isTaken(within: step) { return lock }
        ServiceLog.notice("another longhauld of this user runs; waiting for its end", ["state": paths.stateDirectory])
        notifier.tell("READY=1", "STATUS=Waiting for the longhauld that keeps \(paths.stateDirectory) to leave")
        while try !lock.isTaken(
            within: notifier.watchdogInterval.map { min(longStep, PollSet.milliseconds($0)) } ?? longStep)
        {
            if signals.next() != nil { return nil }
            notifier.tell("WATCHDOG=1")
        }
        // Somebody may have put another file in its place meanwhile.
        return lock.isInPlace ? lock : try waitForTurn(paths, signals: signals, notifier: notifier)
    }

    /// Whether the lock is still the one that the next service would ask for.
    var isInPlace: Bool {
        file.isAt(path)
    }

    private init(_ paths: LonghaulPaths) throws(TransferFailure) {
        path = paths.lock
        do throws(SystemError) {
            file = try Descriptor(opening: path, [.both, .making, .noLink])
        } catch {
            throw TransferFailure(
                error.isOutOfSpace ? .diskFull : .fileFailed, "Could not open \(path).", error: error)
        }
    }

    private func isTaken(within milliseconds: Int32) throws(TransferFailure) -> Bool {
        do throws(SystemError) {
            let isTaken =
                try milliseconds == 0 ? file.tryLock() : file.tryLock(withinMilliseconds: milliseconds)
            if isTaken { ServiceTraces.sign(file) }
            return isTaken
        } catch {
            throw TransferFailure(.fileFailed, "Could not lock \(path).", error: error)
        }
    }
}
