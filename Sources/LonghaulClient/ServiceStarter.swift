import LonghaulCore
import LonghaulIPC
import LonghaulSystem

/// Starts `longhauld` for a client that found none running.
struct ServiceStarter {
    let environment: [String: String]
    let paths: LonghaulPaths

    /// The operation on `longhaul.socket` that systemd is to perform.
    enum Order: String, CaseIterable {
        case start
        /// For an active unit whose socket was removed with the runtime directory.
        case restart
    }

    /// Returns whether the user's systemd knows `longhaul.socket` and has performed the operation.
    func bySystemd(_ order: Order) -> Bool {
        guard let runtime = paths.runtimeDirectory, Files.isThere(runtime + "/systemd/private"),
            let systemctl = ["/usr/bin/systemctl", "/bin/systemctl"].first(where: { Files.allows(.execute, $0) })
        else { return false }
        let arguments = [systemctl, "--user", "--quiet", order.rawValue, "longhaul.socket"]
        let variables = paths.completing(environment).map { $0 + "=" + $1 }
        let program = ChildProgram(systemctl, arguments, environment: variables)
        // A `systemctl` that cannot be run counts as a failure too.
        return (try? program.run(withinMilliseconds: 5_000)) == 0
    }

    /// Starts the service and returns the end of a pipe on which it will report. Failures: `serviceUnavailable`, `diskFull` …
    func start() throws(TransferFailure) -> Descriptor {
        let program = try ServiceProgram(environment: environment).locate()
        let log = try openLog()
        do throws(SystemError) {
            let (reading, writing) = try Descriptor.pipe()
            try ChildProgram(program, [program, "--ready-fd", "3"], environment: inherited)
                .startDetached(log: log, ready: writing)
            return reading
        } catch {
            throw TransferFailure(.serviceUnavailable, "Could not start longhauld.", error: error)
        }
    }

    func failure(_ message: String) -> TransferFailure {
        TransferFailure(.serviceUnavailable, message + " See its log: \(paths.log).")
    }

    /// Returns the environment without the variables that only concern this process: a supervisor's sockets, and the reason for this app's
    /// launch.
    private var inherited: [String] {
        let own = ProcessEnvironment.supervision + WakeRequest.variableNames
        return paths.completing(environment).filter { !own.contains($0.key) }.map { $0 + "=" + $1 }
    }

    /// One old log is kept.
    private func openLog() throws(TransferFailure) -> Descriptor {
        try paths.prepareStateDirectory()
        do throws(SystemError) {
            // If there is no old log, nothing has to be kept. A log that cannot be renamed keeps growing.
            if let old = try? FileStatus(of: paths.log), old.size > 1 << 20 {
                try? Files.rename(paths.log, to: paths.log + ".1")
            }
            return try Descriptor(opening: paths.log, [.writing, .appending, .making, .noLink])
        } catch {
            throw TransferFailure(
                error.isOutOfSpace ? .diskFull : .fileFailed,
                "Could not write \(paths.log): \(error.text). \(error.remedy)", origin: error.origin)
        }
    }
}
