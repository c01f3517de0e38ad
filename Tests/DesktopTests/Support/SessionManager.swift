import LonghaulCore
import TestSupport

/// A mock of a desktop's session manager (python3-dbusmock): no user is logged out here.
final class SessionManager: Sendable {
    private static let name = "org.gnome.SessionManager"
    private let desktop: Desktop
    private let manager: ChildProcess

    init(_ desktop: Desktop) async throws {
        self.desktop = desktop
        manager = try ChildProcess(
            ProgramCall(
                "/usr/bin/python3",
                ["-u", "-m", "dbusmock", "--session", Self.name, "/org/gnome/SessionManager", Self.name],
                environment: desktop.environment))
        try await desktop.run("/usr/bin/gdbus", "wait", "--session", "--timeout", "60", Self.name)
        try await mock("/org/gnome/SessionManager", "AddMethod", "''", "RegisterClient", "ss", "o", "ret = '/client'")
        try await mock(
            "/org/gnome/SessionManager", "AddObject", "/client", Self.name + ".ClientPrivate", "{}",
            "[('EndSessionResponse', 'bs', '', '')]")
    }

    /// Waits until an app has registered.
    func waitForClient() async throws {
        try await manager.waitForOutput(containing: " RegisterClient ")
    }

    /// Queries whether the session may end, and then ends it.
    func endSession() async throws {
        for signal in ["QueryEndSession", "EndSession"] {
            try await mock("/client", "EmitSignal", Self.name + ".ClientPrivate", signal, "u", "[<uint32 0>]")
        }
    }

    private func mock(_ path: String, _ method: String, _ arguments: String...) async throws {
        let call = ["call", "--session", "-d", Self.name, "-o", path, "-m", "org.freedesktop.DBus.Mock." + method]
        let result = try await ProgramCall("/usr/bin/gdbus", call + arguments, environment: desktop.environment).run()
        guard result.ending == .exited(0) else { throw TransferFailure(.internalFault, result.errorOutput) }
    }
}
