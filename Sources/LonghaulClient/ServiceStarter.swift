import CLinux
import Glibc
import LonghaulCore
import LonghaulIPC

/// Starts `longhauld` for a client that found none.
struct ServiceStarter {
    let environment: [String: String]
    let paths: LonghaulPaths

    /// What systemd is asked to do with `longhaul.socket`.
    enum Order: String, CaseIterable {
        case start
        /// For a unit that is active, but whose socket somebody has removed with the runtime directory.
        case restart
    }

    /// Whether the user's systemd knows `longhaul.socket` and has done it.
    func bySystemd(_ order: Order) -> Bool {
        guard let runtime = paths.runtimeDirectory, access(runtime + "/systemd/private", F_OK) == 0,
            let systemctl = ["/usr/bin/systemctl", "/bin/systemctl"].first(where: Self.isExecutable)
        else { return false }
        let arguments = [systemctl, "--user", "--quiet", order.rawValue, "longhaul.socket"]
        let variables = paths.completing(environment).map { $0 + "=" + $1 }
        return CStrings.with(arguments) { arguments in
            CStrings.with(variables) { longhaul_run(systemctl, arguments, $0, 5_000) }
        } == 0
    }

    /// Starts the service and returns the end of a pipe from which it will be heard. Failures: `serviceUnavailable`, `diskFull` …
    func start() throws(TransferFailure) -> Descriptor {
        let program = try ServiceProgram(environment: environment).locate()
        let log = try openLog()
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw TransferFailure(.serviceUnavailable, "longhauld cannot be started.", error: errno)
        }
        let (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let result = withExtendedLifetime((log, writing)) {
            CStrings.with([program, "--ready-fd", "3"]) { arguments in
                CStrings.with(inherited) { variables in
                    longhaul_start_detached(program, arguments, variables, log.number, writing.number)
                }
            }
        }
        guard result == 0 else {
            throw TransferFailure(.serviceUnavailable, "longhauld cannot be started.", error: -result)
        }
        return reading
    }

    func failure(_ message: String) -> TransferFailure {
        TransferFailure(.serviceUnavailable, message + " Its reasons are in \(paths.log).")
    }

    /// What belongs to this process and not to one it starts: a supervisor's sockets, and what this app was woken for.
    private var inherited: [String] {
        let own =
            ["NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC"]
            + WakeRequest.variableNames
        return paths.completing(environment).filter { !own.contains($0.key) }.map { $0 + "=" + $1 }
    }

    /// One old log is kept.
    private func openLog() throws(TransferFailure) -> Descriptor {
        try paths.prepareStateDirectory()
        var status = stat()
        if stat(paths.log, &status) == 0, status.st_size > 1 << 20 { rename(paths.log, paths.log + ".1") }
        let number = Glibc.open(paths.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else {
            throw TransferFailure(
                errno == ENOSPC ? .diskFull : .fileFailed, "\(paths.log) cannot be written.", error: errno)
        }
        return Descriptor(number)
    }

    private static func isExecutable(_ path: String) -> Bool {
        access(path, X_OK) == 0
    }
}
