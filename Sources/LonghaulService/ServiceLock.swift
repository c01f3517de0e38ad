import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Makes this process the only service of its state directory, by a kernel lock, which is released when the process ends for any
/// reason.
struct ServiceLock {
    /// How long to wait for a service that does not listen, and the polling interval, in milliseconds.
    private static let patience: Int32 = 8_000
    private static let step: Int32 = 100
    /// How often a service that waits under systemd checks for a stop request, in milliseconds.
    private static let longStep: Int32 = 1_000

    private let file: Descriptor
    private let path: String

    /// Returns `nil` if another service has the lock. Waits for a service that is about to stop.
    static func acquire(_ paths: LonghaulPaths) throws(TransferFailure) -> ServiceLock? {
        let lock = try ServiceLock(paths)
        var patience = Self.patience
        var isTaken = try lock.isTaken(within: 0)
        while !isTaken, patience > 0 {
            if case .success = ServiceTraces.connect(paths) { return nil }
            // Its owner does not listen: it is starting and will listen in a moment, or it is stopping.
            isTaken = try lock.isTaken(within: step)
            patience -= step
        }
        return isTaken ? lock : nil
    }

    /// Waits under systemd while another service, started by a program, has the lock. If this one exited instead, systemd would
    /// restart it repeatedly. Returns `nil` on a stop request.
    static func waitForTurn(
        _ paths: LonghaulPaths, signals: StopSignals, notifier: ServiceNotifier
    ) throws(TransferFailure) -> ServiceLock? {
        let lock = try ServiceLock(paths)
        if try lock.isTaken(within: step) { return lock }
        ServiceLog.notice("another longhauld of this user runs; waiting for its end", ["state": paths.stateDirectory])
        notifier.notify("READY=1", "STATUS=Waiting for the longhauld that keeps \(paths.stateDirectory) to leave")
        while try !lock.isTaken(
            within: notifier.watchdogInterval.map { min(longStep, PollSet.milliseconds($0)) } ?? longStep)
        {
            if signals.next() != nil { return nil }
            notifier.notify("WATCHDOG=1")
        }
        // The file may have been replaced meanwhile.
        return lock.isInPlace ? lock : try waitForTurn(paths, signals: signals, notifier: notifier)
    }

    /// Whether the next service would use the same lock.
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
