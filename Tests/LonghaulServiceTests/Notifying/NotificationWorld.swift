import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport

/// A private bus, programs on it, and a session that notifies the user.
final class NotificationWorld: Sendable {
    static let server = "org.freedesktop.Notifications"

    let wake: WakeWorld
    let bus: ChildProcess
    let environment: [String: String]

    init(display: String? = nil) async throws {
        wake = try WakeWorld()
        let home = wake.product.home
        let address = "unix:path=" + home.path("run/bus")
        var variables = wake.product.environment
        variables["DBUS_SESSION_BUS_ADDRESS"] = address
        if let display { variables["DISPLAY"] = display }
        environment = variables
        bus = try ChildProcess(
            ProgramCall(
                "/usr/bin/dbus-daemon",
                ["--session", "--nofork", "--nopidfile", "--print-address", "--address=" + address],
                environment: environment))
        try await bus.waitForOutput(containing: "unix:path=")
    }

    /// Starts a server that shows nothing and logs its calls.
    func startMock(_ capabilities: String = "body body-markup actions") async throws -> ChildProcess {
        let mock = try ChildProcess(
            ProgramCall(
                "/usr/bin/python3",
                [
                    "-u", "-m", "dbusmock", "--session", "--template", "notification_daemon", "-p",
                    "{\"capabilities\": \"\(capabilities)\"}",
                ], environment: environment))
        try await waitForServer()
        return mock
    }

    /// Waits until the name has an owner, without activating a service.
    func waitForServer() async throws {
        let wait = ProgramCall(
            "/usr/bin/gdbus", ["wait", "--session", "--timeout", "60", Self.server], environment: environment)
        _ = try await wait.run()
    }

    /// Makes the mock emit a signal of a notification server.
    func emit(_ signal: String, _ signature: String, _ values: String...) async throws {
        let pairs = zip(signature, values).flatMap { [String($0), $1] }
        let call = ProgramCall(
            "/usr/bin/busctl",
            [
                "--address=" + (environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""), "call", Self.server,
                "/org/freedesktop/Notifications", "org.freedesktop.DBus.Mock", "EmitSignal", "sssav", Self.server,
                signal, signature, "\(values.count)",
            ] + pairs, environment: environment)
        let result = try await call.run()
        guard result.ending == .exited(0) else {
            throw TransferFailure(.internalFault, "busctl: \(result.errorOutput)")
        }
    }

    /// Registers the sample for launches, and sets the notifications.
    func set(
        _ connection: ServiceConnection, _ change: (inout NotificationSettings) -> Void = { _ in }
    ) async throws {
        try await wake.register(.command(wake.app), connection, first: .seconds(30), sends: false)
        var settings = NotificationSettings(
            appName: "Photos", icon: "image-x-generic", desktopEntry: "org.example.Photos")
        change(&settings)
        _ = try await connection.notifications(.set(settings), of: WakeWorld.session)
    }

    static var missing: String? {
        let programs = ["/usr/bin/dbus-daemon", "/usr/bin/busctl", "/usr/bin/gdbus", "/usr/bin/python3"]
        if let name = programs.first(where: { access($0, X_OK) != 0 }) { return "\(name) is not installed" }
        return access("/usr/lib/python3/dist-packages/dbusmock", R_OK) == 0 ? nil : "python3-dbusmock is not installed"
    }
}

extension ChildProcess {
    /// Waits for that many calls of `Notify`, and returns the last one in the mock's format.
    func notified(_ count: Int) async throws -> String {
        try await waitForOutput(for: "\(count) × Notify") { output in
            let calls = output.split(separator: "\n").filter { $0.contains(" Notify ") }
            return calls.count >= count ? calls.last.map(String.init) : nil
        }
    }
}
