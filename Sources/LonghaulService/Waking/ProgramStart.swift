import CLinux
import Glibc
import LonghaulCore
import LonghaulIPC

/// Starting an app as a process of its own, where no systemd of the user is there to do it.
struct ProgramStart {
    let environment: [String: String]

    func run(_ arguments: [String], for request: WakeRequest) -> WakeReport {
        // What belongs to the service and not to a program it starts: its supervisor's sockets, and what woke others.
        let own =
            ["NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "WATCHDOG_PID", "WATCHDOG_USEC"]
            + WakeRequest.variableNames
        let inherited = environment.filter { !own.contains($0.key) }.map { ($0.key, $0.value) }
        let variables = (inherited + request.variables).map { $0.0 + "=" + $0.1 }
        let result = CStrings.with(arguments) { arguments in
            CStrings.with(variables) { variables in
                longhaul_launch(arguments[0], arguments, variables, environment["HOME"] ?? "/")
            }
        }
        guard result != 0 else { return WakeReport(.started) }
        let isGone = result == -ENOENT || result == -ENOTDIR
        return WakeReport(
            isGone ? .missing : .refused,
            "\(arguments[0]) cannot be run: \(String(cString: strerror(-result))). Install the app again, or register another command."
        )
    }
}
