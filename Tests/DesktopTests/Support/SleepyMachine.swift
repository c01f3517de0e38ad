import LonghaulCore
import TestSupport

/// A system bus with a mock of logind (python3-dbusmock): no machine is suspended here.
final class SleepyMachine: Sendable {
    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"

    /// The environment for an app.
    let environment: [String: String]
    private let desktop: Desktop
    private let bus: ChildProcess
    private let logind: ChildProcess

    init(_ desktop: Desktop) async throws {
        self.desktop = desktop
        let address = "unix:path=" + desktop.product.home.path("run/system-bus")
        environment = ["DBUS_SYSTEM_BUS_ADDRESS": address]
        let variables = desktop.environment.merging(environment) { $1 }
        bus = try ChildProcess(
            ProgramCall(
                "/usr/bin/dbus-daemon",
                ["--session", "--nofork", "--nopidfile", "--print-address", "--address=" + address],
                environment: variables))
        try await bus.waitForOutput(containing: "unix:path=")
        logind = try ChildProcess(
            ProgramCall(
                "/usr/bin/python3", ["-u", "-m", "dbusmock", "--system", "--template", "logind"],
                environment: variables))
        try await desktop.run("/usr/bin/gdbus", "wait", "--address", address, "--timeout", "60", Self.name)
    }

    /// Waits until sleep was inhibited that many times.
    func waitForInhibitors(_ count: Int) async throws {
        try await logind.waitForOutput(for: "\(count) inhibitors") { output in
            output.split(separator: "\n").filter { $0.contains(" Inhibit ") }.count >= count ? () : nil
        }
    }

    /// Announces that the machine is about to sleep, or is awake again.
    func announce(sleeps: Bool) async throws {
        try await desktop.run(
            "/usr/bin/gdbus", "call", "--address", environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? "", "-d", Self.name, "-o",
            Self.path, "-m", "org.freedesktop.DBus.Mock.EmitSignal", "org.freedesktop.login1.Manager",
            "PrepareForSleep", "b", "[<\(sleeps)>]")
    }
}
