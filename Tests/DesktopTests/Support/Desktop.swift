import Glibc
import LonghaulCore
import TestSupport

/// A private desktop: a screen, a bus, a window manager, notifications, and the built Longhaul.
final class Desktop: Sendable {
    let product: Product
    /// The environment of its programs.
    let environment: [String: String]
    private let parts: [ChildProcess]

    init(width: Int = 800, height: Int = 900) async throws {
        product = try Product()
        for name in ["data", "config", "cache"] { try product.home.makeDirectory(name) }
        let screen = try ChildProcess(
            ProgramCall(
                "/usr/bin/Xvfb",
                ["-displayfd", "1", "-screen", "0", "\(width)x\(height)x24", "-nolisten", "tcp", "-noreset"],
                environment: product.environment))
        let number = try await screen.waitForOutput(for: "its number") { output in
            output.hasSuffix("\n") ? String(output.dropLast()) : nil
        }
        environment = Self.variables(product, display: ":" + number)
        let bus = try ChildProcess(
            ProgramCall(
                "/usr/bin/dbus-daemon",
                [
                    "--session", "--nofork", "--nopidfile", "--print-address",
                    "--address=" + (environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""),
                ], environment: environment))
        try await bus.waitForOutput(containing: "unix:path=")
        let windows = try ChildProcess(ProgramCall("/usr/bin/openbox", [], environment: environment))
        let notifications = try ChildProcess(ProgramCall(Self.notifications, [], environment: environment))
        parts = [screen, bus, windows, notifications]
        try await run("/usr/bin/gdbus", "wait", "--session", "--timeout", "60", "org.freedesktop.Notifications")
        try await run(
            "/usr/bin/gdbus", "wait", "--session", "--activate", "org.a11y.Bus", "--timeout", "60", "org.a11y.Bus")
    }

    /// Why the programs cannot be used; `nil` if they can.
    static var missing: String? {
        let programs = [
            "/usr/bin/Xvfb", "/usr/bin/xdotool", "/usr/bin/import", "/usr/bin/openbox", "/usr/bin/wmctrl",
            "/usr/bin/dbus-daemon", "/usr/bin/gdbus", "/usr/bin/python3", notifications,
            "/usr/libexec/at-spi-bus-launcher", "/usr/include/libadwaita-1/adwaita.h",
            "/usr/lib/x86_64-linux-gnu/girepository-1.0/Atspi-2.0.typelib", "/usr/lib/python3/dist-packages/gi",
        ]
        return programs.first { access($0, R_OK) != 0 }.map { "\($0) is not installed: scripts/setup does it" }
            ?? Product.missing
    }

    private static let notifications = "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"

    private static func variables(_ product: Product, display: String) -> [String: String] {
        let home = product.home
        return product.environment.merging([
            "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + home.path("run/bus"),
            // No other bus is visible, and so no other machine's state.
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + home.path("run/no-system-bus"),
            "XDG_DATA_HOME": home.path("data"), "XDG_CONFIG_HOME": home.path("config"),
            "XDG_CACHE_HOME": home.path("cache"), "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
            "GSETTINGS_BACKEND": "memory", "LANG": "C.UTF-8",
        ]) { $1 }
    }

    /// Starts an app as the user does.
    func start(_ example: Example, _ arguments: String..., with variables: [String: String] = [:]) throws
        -> ChildProcess
    {
        var call = ProgramCall(
            example.path, arguments, environment: environment.merging(variables) { $1 })
        call.directory = product.home.path("work")
        return try ChildProcess(call)
    }

    /// Registers an app with the bus and the desktop, as the installation of its package does.
    func install(_ example: Example) async throws {
        let home = product.home
        let icons = "data/icons/hicolor/scalable/apps"
        try await run(
            "/usr/bin/mkdir", "-p", home.path("data/dbus-1/services"), home.path("data/applications"), home.path(icons))
        try home.write(
            "[D-BUS Service]\nName=\(example.id)\nExec=\(example.path) --gapplication-service\n".utf8,
            to: "data/dbus-1/services/\(example.id).service")
        try await run("/usr/bin/cp", example.data + "/\(example.id).desktop", home.path("data/applications"))
        try await run("/usr/bin/cp", example.data + "/\(example.id).svg", home.path(icons))
        try await run(
            "/usr/bin/gdbus", "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
            "org.freedesktop.DBus.ReloadConfig")
    }

    /// Runs a program on this desktop until it ends, and returns its output.
    @discardableResult
    func run(_ program: String, _ arguments: String..., input: String = "") async throws -> String {
        var call = ProgramCall(program, arguments, environment: environment)
        call.input = Array(input.utf8)
        let result = try await call.run()
        guard result.ending == .exited(0) else {
            throw TransferFailure(
                .internalFault, "\(program) \(arguments): \(result.output) \(result.errorOutput)")
        }
        return result.output
    }
}
