import Glibc
import LonghaulClient
import LonghaulCore
import LonghaulIPC
import TestSupport
import Testing

/// A notification on a screen, and a click with a mouse: Xvfb, xfce4-notifyd and xdotool.
@Suite(
    .timeLimit(.minutes(3)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: Screen.missing == nil, "\(Screen.missing ?? "")"))
struct RealNotificationTests {
    /// The directory for what tests leave behind to be looked at.
    private static var artifacts: String {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let directory = getenv("LONGHAUL_ARTIFACTS").map { String(cString: $0) } ?? root + "/.build/artifacts"
        mkdir(directory, 0o755)
        return directory
    }

    private func startScreen() async throws -> (ChildProcess, String) {
        let screen = try ChildProcess(
            ProgramCall(
                "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"],
                environment: ["PATH": "/usr/bin:/bin"]))
        let number = try await screen.waitForOutput(for: "its number") { output in
            output.hasSuffix("\n") ? String(output.dropLast()) : nil
        }
        return (screen, ":" + number)
    }

    @Test func aNotificationIsSeenAndAClickWakesTheDeadApp() async throws {
        let (screen, display) = try await startScreen()
        let world = try await NotificationWorld(display: display)
        let windows = try ChildProcess(ProgramCall("/usr/bin/openbox", [], environment: world.environment))
        let notifications = try ChildProcess(ProgramCall(Screen.server, [], environment: world.environment))
        try await world.waitForServer()
        let service = try await RunningService(in: world.wake.product)
        let connection = try await service.connect()
        try world.wake.set(.acknowledge)
        try await world.set(connection)
        var spec = TransferSpec(work: .request(body: []), method: "GET", url: world.wake.server.url("/none"))
        spec.options.retryLimit = 0
        _ = try await connection.submit([spec], to: WakeWorld.session)
        let find = ProgramCall(
            "/usr/bin/xdotool",
            ["search", "--sync", "--onlyvisible", "--class", "notifyd", "getwindowgeometry", "--shell"],
            environment: world.environment)
        let found = try await find.run()
        let place = found.output.split(separator: "\n").reduce(into: [Substring: Int]()) { place, line in
            let parts = line.split(separator: "=")
            if parts.count == 2 { place[parts[0]] = Int(parts[1]) }
        }
        let picture = Self.artifacts + "/notification.png"
        _ = try await ProgramCall("/usr/bin/import", ["-window", "root", picture], environment: world.environment).run()
        let x = try #require(place["X"]) + (place["WIDTH"] ?? 0) / 2
        let y = try #require(place["Y"]) + (place["HEIGHT"] ?? 0) - 31
        _ = try await ProgramCall(
            "/usr/bin/xdotool", ["mousemove", "\(x)", "\(y)", "click", "1"], environment: world.environment
        ).run()
        try await world.wake.wait("tapped transfers ")
        #expect(world.wake.lines("woken").first?.hasPrefix("woken org.example.photos notification-tapped ") == true)
        #expect(screen.isRunning && windows.isRunning && notifications.isRunning)
    }
}

private enum Screen {
    static let server = "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"

    static var missing: String? {
        let programs = ["/usr/bin/Xvfb", "/usr/bin/xdotool", "/usr/bin/import", "/usr/bin/openbox", server]
        return programs.first { access($0, X_OK) != 0 }.map { "\($0) is not installed" } ?? NotificationWorld.missing
    }
}
