import Glibc
import LonghaulCore
import TestSupport

/// A widget that was found by its accessible name.
struct FoundWidget: Sendable {
    var role: String
    var name: String
    /// Its center on the screen.
    var x: Int
    var y: Int
}

/// The user's actions on the desktop: finds widgets by their names, clicks, types, closes windows.
extension Desktop {
    /// Waits until an app shows a widget with that name (`*` stands for any text), and returns its position.
    func find(_ name: String, role: String = "", in example: Example) async throws -> FoundWidget {
        let fields = try await accessible("find", example.program, name, role).split(
            separator: "|", omittingEmptySubsequences: false)
        guard fields.count == 5 else { throw TransferFailure(.internalFault, "unreadable: \(fields)") }
        let (place, frame) = (Self.numbers(fields[2]), Self.numbers(fields[4]))
        let window = try await geometry(of: String(fields[3]))
        // A window without a compositor has a border of the same width on all sides, which GTK does not count.
        let border = (x: (window.width - frame[0]) / 2, y: (window.height - frame[1]) / 2)
        return FoundWidget(
            role: String(fields[0]), name: String(fields[1]),
            x: window.x + border.x + place[0] + place[2] / 2, y: window.y + border.y + place[1] + place[3] / 2)
    }

    /// Waits until the name of the widget no longer changes, as of numbers after all transfers have stopped.
    func settled(_ name: String, in example: Example) async throws -> String {
        var last = try await find(name, in: example).name
        while true {
            // Updates come ten times a second; this waits for some that change nothing.
            try await Task.sleep(for: .milliseconds(500))
            let next = try await find(name, in: example).name
            if next == last { return last }
            last = next
        }
    }

    /// Waits until no widget with that name is shown any more.
    func waitUntilGone(_ name: String, role: String = "", in example: Example) async throws {
        try await accessible("gone", example.program, name, role)
    }

    /// Returns the widgets that an app shows, one per line.
    func tree(of example: Example) async throws -> String {
        try await accessible("tree", example.program, "", "")
    }

    /// Clicks with the left button of the mouse on the widget with that name.
    func click(_ name: String, role: String = "", in example: Example) async throws {
        let widget = try await find(name, role: role, in: example)
        // A pointer that leaves the window takes its tooltip away, which may cover the widget.
        try await run(
            "/usr/bin/xdotool", "mousemove", "0", "0", "sleep", "0.2", "mousemove", "\(widget.x)", "\(widget.y)",
            "sleep", "0.1", "click", "1")
    }

    /// Activates the widget with that name through the accessibility interface. GTK cancels the press of a mouse now and then on a loaded
    /// machine: its gesture reports `cancel` 2 ms after `pressed`.
    func activate(_ name: String, in example: Example) async throws {
        try await accessible("press", example.program, name)
    }

    /// Presses keys together, in xdotool's syntax (`ctrl+o`), in the focused window.
    func press(_ keys: String) async throws {
        try await run("/usr/bin/xdotool", "key", "--clearmodifiers", keys)
    }

    /// Types text in the focused window.
    func type(_ text: String) async throws {
        try await run("/usr/bin/xdotool", "type", "--delay", "5", text)
    }

    /// Closes a window like its close button.
    func closeWindow(_ title: String) async throws {
        try await run("/usr/bin/wmctrl", "-F", "-c", title)
    }

    /// Clicks on an app's close button and waits for its process to end. If it does not, reports what the app shows.
    func close(_ example: Example, _ running: ChildProcess) async throws -> ChildProcess.Ending {
        try await click("Close", in: example)
        do {
            return try await running.waitForEnd()
        } catch {
            try await picture("does-not-end", atOnce: true)
            let shown = (try? await tree(of: example)) ?? "nothing"
            throw TransferFailure(.internalFault, "\(error) (does-not-end.png); it shows \(shown)")
        }
    }

    /// Waits for a window and resizes it.
    func resizeWindow(_ title: String, width: Int, height: Int) async throws {
        let id = try await window(title)
        try await run("/usr/bin/xdotool", "windowsize", "--sync", id, "\(width)", "\(height)")
    }

    /// Drags one widget onto another, slowly enough for a drag.
    func drag(_ name: String, in source: Example, onto other: String, in target: Example, picture: String) async throws
    {
        let (from, to) = (try await find(name, in: source), try await find(other, in: target))
        try await run("/usr/bin/xdotool", "mousemove", "\(from.x)", "\(from.y)", "mousedown", "1")
        for step in 1...10 {
            let (x, y) = (from.x + (to.x - from.x) * step / 10, from.y + (to.y - from.y) * step / 10)
            try await run("/usr/bin/xdotool", "mousemove", "\(x)", "\(y)", "sleep", "0.05")
        }
        // The target responds before the drop.
        try await self.picture(picture)
        try await run("/usr/bin/xdotool", "mouseup", "1")
    }

    /// Moves a window.
    func moveWindow(_ title: String, x: Int, y: Int) async throws {
        try await run("/usr/bin/xdotool", "windowmove", "--sync", window(title), "\(x)", "\(y)")
    }

    /// Takes a screenshot when the screen no longer changes, in the directory for test artifacts. `atOnce` is for a
    /// screen that always changes.
    func picture(_ name: String, atOnce: Bool = false) async throws {
        var last = ""
        for _ in 1...(atOnce ? 1 : 20) {
            try await run("/usr/bin/import", "-window", "root", Self.artifacts + "/\(name).png")
            let digest = try await run("/usr/bin/identify", "-format", "%#", Self.artifacts + "/\(name).png")
            if digest == last { return }
            last = digest
        }
    }

    private static let artifacts: String = {
        let directory = getenv("LONGHAUL_ARTIFACTS").map { String(cString: $0) } ?? Example.root + "/.build/artifacts"
        mkdir(directory, 0o755)
        return directory
    }()

    /// Waits for a notification on the screen, and takes a screenshot of it.
    @discardableResult
    func waitForNotification(picture: String) async throws -> (x: Int, y: Int, width: Int, height: Int) {
        let output = try await search("--class", "notifyd", "getwindowgeometry", "--shell")
        try await self.picture(picture)
        return Self.geometry(output)
    }

    /// Clicks on the button "Open" of a notification, which is the first of three on the left, or alone on the right.
    func clickNotification(picture: String, isAlone: Bool = false) async throws {
        let place = try await waitForNotification(picture: picture)
        let x = isAlone ? place.x + place.width - 57 : place.x + 55
        try await run("/usr/bin/xdotool", "mousemove", "\(x)", "\(place.y + place.height - 31)", "click", "1")
    }

    @discardableResult
    func accessible(_ arguments: String...) async throws -> String {
        let script = Example.root + "/Tests/DesktopTests/Support/accessible.py"
        let call = ProgramCall(
            "/usr/bin/python3", [script] + arguments.reversed().drop { $0.isEmpty }.reversed(), environment: environment
        )
        var result = try await call.run()
        // Reading widgets while they are created can crash the reader's accessibility library.
        if case .killed = result.ending { result = try await call.run() }
        guard result.ending == .exited(0) else {
            try? await picture("in-vain", atOnce: true)
            throw TransferFailure(
                .internalFault, "\(arguments): \(result.ending) \(result.output) \(result.errorOutput)")
        }
        return String(result.output.prefix { ["tree", "rows"].contains(arguments[0]) || $0 != "\n" })
    }

    private func window(_ title: String) async throws -> String {
        // A title may end with a question mark, which means something else in a pattern.
        let pattern = String(title.map { "?()[]{}*+|^$\\".contains($0) ? "." : $0 })
        return String(try await search("--name", "^\(pattern)$").prefix { $0 != "\n" })
    }

    /// Waits for a visible window. If any window is closed while xdotool inspects it, X ends xdotool with BadWindow.
    private func search(_ words: String...) async throws -> String {
        let call = ProgramCall(
            "/usr/bin/xdotool", ["search", "--sync", "--onlyvisible"] + words, environment: environment)
        while true {
            let result = try await call.run()
            if result.ending == .exited(0) { return result.output }
            guard result.errorOutput.contains("BadWindow") else {
                throw TransferFailure(.internalFault, "xdotool search \(words): \(result.errorOutput)")
            }
        }
    }

    private func geometry(of title: String) async throws -> (x: Int, y: Int, width: Int, height: Int) {
        Self.geometry(try await run("/usr/bin/xdotool", "getwindowgeometry", "--shell", window(title)))
    }

    private static func geometry(_ output: String) -> (x: Int, y: Int, width: Int, height: Int) {
        let values = output.split(separator: "\n").reduce(into: [Substring: Int]()) { values, line in
            let parts = line.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = Int(parts[1]) }
        }
        return (values["X"] ?? 0, values["Y"] ?? 0, values["WIDTH"] ?? 0, values["HEIGHT"] ?? 0)
    }

    private static func numbers(_ text: Substring) -> [Int] { text.split(separator: " ").compactMap { Int($0) } }
}
