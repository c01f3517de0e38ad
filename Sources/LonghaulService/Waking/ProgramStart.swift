import LonghaulCore
import LonghaulSystem

/// Starting an app as a process of its own, where no systemd of the user is there to do it.
struct ProgramStart {
    let environment: [String: String]

    func run(_ arguments: [String], for request: WakeRequest) -> WakeReport {
        // What belongs to the service and not to a program it starts: its supervisor's sockets, and what woke others.
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

    /// Why a program cannot be run.
    static func report(_ program: String, _ error: SystemError) -> WakeReport {
        WakeReport(
            error.isMissing ? .missing : .refused,
            "Could not run \(program): \(error.text). Reinstall the app, or register another command.")
    }
}
