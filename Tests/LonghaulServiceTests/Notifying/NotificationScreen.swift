import Glibc
import Synchronization
import TestSupport
import Testing

/// A private screen, with a program that shows notifications on it, and a mouse: Xvfb, xfce4-notifyd, and xdotool.
final class NotificationScreen: Sendable {
    private static let server = "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"

    /// Its name, for `DISPLAY`.
    let display: String
    private let screen: ChildProcess
    private let programs = Mutex<[ChildProcess]>([])
    private let environment = Mutex<[String: String]>([:])

    init() async throws {
        let screen = try ChildProcess(
            ProgramCall(
                "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"],
                environment: ["PATH": "/usr/bin:/bin"]))
        let number = try await screen.waitForOutput(for: "its number") { output in
            output.hasSuffix("\n") ? String(output.dropLast()) : nil
        }
        self.screen = screen
        display = ":" + number
    }

    /// Shows the notifications of the world's bus.
    func showNotifications(of world: NotificationWorld) async throws {
        environment.withLock { $0 = world.environment }
        try Self.keepNotifications(in: world.wake.product.home)
        for program in ["/usr/bin/openbox", Self.server] {
            let process = try ChildProcess(ProgramCall(program, [], environment: world.environment))
            programs.withLock { $0.append(process) }
        }
        try await world.waitForServer()
    }

    /// A notification stays until it is clicked: the default ten seconds can be too short for a screenshot and a click
    /// on a busy machine.
    private static func keepNotifications(in home: TemporaryDirectory) throws {
        let folders = [".config", "xfce4", "xfconf", "xfce-perchannel-xml"]
        for count in 1...folders.count { try home.makeDirectory(folders[..<count].joined(separator: "/")) }
        let settings = """
            <channel name="xfce4-notifyd" version="1.0"><property name="expire-timeout" type="int" value="3600"/></channel>

            """
        try home.write(Array(settings.utf8), to: folders.joined(separator: "/") + "/xfce4-notifyd.xml")
    }

    /// Waits for a notification, takes a screenshot, and clicks the first of its buttons, which are on the right.
    func click(picture name: String, buttons: Int) async throws {
        let found = try await run(
            "xdotool", "search", "--sync", "--onlyvisible", "--class", "notifyd", "getwindowgeometry", "--shell")
        let place = found.split(separator: "\n").reduce(into: [Substring: Int]()) { place, line in
            let parts = line.split(separator: "=")
            if parts.count == 2 { place[parts[0]] = Int(parts[1]) }
        }
        _ = try await run("import", "-window", "root", Self.artifacts + "/" + name)
        let x = try #require(place["X"]) + (place["WIDTH"] ?? 0) - 57 - (buttons - 1) * 92
        let y = try #require(place["Y"]) + (place["HEIGHT"] ?? 0) - 31
        _ = try await run("xdotool", "mousemove", "\(x)", "\(y)", "click", "1")
    }

    private func run(_ program: String, _ arguments: String...) async throws -> String {
        let call = ProgramCall("/usr/bin/" + program, arguments, environment: environment.withLock(\.self))
        return try await call.run().output
    }

    /// The directory for test artifacts.
    private static var artifacts: String {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let directory = getenv("LONGHAUL_ARTIFACTS").map { String(cString: $0) } ?? root + "/.build/artifacts"
        mkdir(directory, 0o755)
        return directory
    }

    static var missing: String? {
        let programs = ["/usr/bin/Xvfb", "/usr/bin/xdotool", "/usr/bin/import", "/usr/bin/openbox", server]
        return programs.first { access($0, X_OK) != 0 }.map { "\($0) is not installed" } ?? NotificationWorld.missing
    }
}
