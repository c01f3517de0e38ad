import Glibc
import LonghaulCore

/// A bus of the test's own with services that are played (python-dbusmock). The machine's buses are not touched.
package final class MockedBus: Sendable {
    /// Why it cannot be used here; `nil` when it can.
    package static var missing: String? {
        for program in ["/usr/bin/dbus-daemon", "/usr/bin/gdbus", "/usr/bin/python3"]
        where access(program, X_OK) != 0 { return "\(program) is not installed: scripts/setup" }
        guard let result = try? ProgramCall("/usr/bin/python3", ["-c", "import dbusmock"]).run(limit: .seconds(60)),
            result.ending == .exited(0)
        else { return "python3-dbusmock is not installed: scripts/setup" }
        return nil
    }

    package let place: TemporaryDirectory
    private let daemon: ChildProcess

    package var address: String { "unix:path=\(place.path("bus"))" }

    package init(_ place: TemporaryDirectory? = nil) throws {
        self.place = try place ?? TemporaryDirectory()
        daemon = try ChildProcess(
            ProgramCall(
                "/usr/bin/dbus-daemon",
                [
                    "--session", "--nofork", "--nopidfile", "--print-address=1",
                    "--address=unix:path=\(self.place.path("bus"))",
                ]))
        try daemon.waitForOutput(containing: "unix:")
    }

    /// Starts a service; it ends with the answer.
    package func start(_ arguments: String..., name: String) throws -> ChildProcess {
        let environment = [
            "PATH": "/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address,
            "LANG": "C.UTF-8",
        ]
        let mock = try ChildProcess(
            ProgramCall("/usr/bin/python3", ["-m", "dbusmock", "--system"] + arguments, environment: environment))
        try gdbus(["wait", "--address", address, "--timeout", "30", name])
        return mock
    }

    /// Calls a method of a service.
    package func call(_ name: String, _ path: String, _ method: String, _ arguments: String...) throws {
        try gdbus(["call", "--address", address, "-d", name, "-o", path, "-m", method, "--"] + arguments)
    }

    private func gdbus(_ arguments: [String]) throws {
        let result = try ProgramCall("/usr/bin/gdbus", arguments).run(limit: .seconds(60))
        guard result.ending == .exited(0) else {
            throw TransferFailure(.internalFault, "gdbus \(arguments): \(result.errorOutput)")
        }
    }
}
