import LonghaulCore
import LonghaulSystem

/// Starts an app as a separate process, if the user has no systemd.
struct ProgramStart {
    let environment: [String: String]

    func run(_ arguments: [String], for request: WakeRequest) -> WakeReport {
        // Variables of the service that its child programs must not inherit: its supervisor's sockets, and earlier wake
        // requests.
        let own = ProcessEnvironment.supervision + WakeRequest.variableNames
        let inherited = environment.filter { !own.contains($0.key) }.map { ($0.key, $0.value) }
        let variables = (inherited + request.variables).map { $0.0 + "=" + $0.1 }
        do throws(SystemError) {
            try ChildProgram(arguments[0], arguments, environment: variables).launch(in: environment["HOME"] ?? "/")
            return WakeReport(.started)
        } catch {
            return Self.report(arguments[0], error)
        }
    }

    /// Returns why a program cannot run.
    static func report(_ program: String, _ error: SystemError) -> WakeReport {
        WakeReport(
            error.isMissing ? .missing : .refused,
            "Could not run \(program): \(error.text). Reinstall the app, or register another command.")
    }
}
