import Glibc
import LonghaulCore
import TestSupport

/// A widget that was found by the name that assistive tools read.
struct FoundWidget: Sendable {
    var role: String
    var name: String
    /// Its middle on the screen.
    var x: Int
    var y: Int
}

/// What a person does at the desktop: looks for something by its name, clicks on it, types, closes windows.
extension Desktop {
    /// Waits until an app shows something with that name (a trailing `*` stands for the rest of it), and says where.
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

    /// Waits until nothing with that name is shown any more.
    func waitUntilGone(_ name: String, role: String = "", in example: Example) async throws {
        try await accessible("gone", example.program, name, role)
    }

    /// Everything that an app shows, a line for each.
    func tree(of example: Example) async throws -> String {
        try await accessible("tree", example.program, "", "")
    }

    /// A click with the left button of the mouse on what has that name.
    func click(_ name: String, role: String = "", in example: Example) async throws {
        let widget = try await find(name, role: role, in: example)
        try await run("/usr/bin/xdotool", "mousemove", "\(widget.x)", "\(widget.y)", "click", "1")
    }

    /// Presses keys together, in xdotool's words (`ctrl+o`), in the window that has the focus.
    func press(_ keys: String) async throws {
        try await run("/usr/bin/xdotool", "key", "--clearmodifiers", keys)
    }

    /// Types text in the window that has the focus.
    func type(_ text: String) async throws {
        try await run("/usr/bin/xdotool", "type", "--delay", "5", text)
    }

    /// Closes a window as its close button does.
    func closeWindow(_ title: String) async throws {
        try await run("/usr/bin/wmctrl", "-F", "-c", title)
    }

    /// Waits for a window and gives it a size.
    func resizeWindow(_ title: String, width: Int, height: Int) async throws {
        let id = try await window(title)
        try await run("/usr/bin/xdotool", "windowsize", "--sync", id, "\(width)", "\(height)")
    }

    /// What is on the screen, kept in the directory for what tests leave behind to be looked at.
    func picture(_ name: String) async throws {
        try await run("/usr/bin/import", "-window", "root", Self.artifacts + "/\(name).png")
    }

    private static let artifacts: String = {
        let directory = getenv("LONGHAUL_ARTIFACTS").map { String(cString: $0) } ?? Example.root + "/.build/artifacts"
        mkdir(directory, 0o755)
        return directory
    }()

    @discardableResult
    func accessible(_ arguments: String...) async throws -> String {
        let script = Example.root + "/Tests/DesktopTests/Support/accessible.py"
        let call = ProgramCall(
            "/usr/bin/python3", [script] + arguments.reversed().drop { $0.isEmpty }.reversed(), environment: environment
        )
        let result = try await call.run(limit: .seconds(90))
        guard result.ending == .exited(0) else {
            throw TransferFailure(.internalFault, "\(arguments): \(result.output) \(result.errorOutput)")
        }
        return String(result.output.prefix { ["tree", "rows"].contains(arguments[0]) || $0 != "\n" })
    }

    private func window(_ title: String) async throws -> String {
        let output = try await run("/usr/bin/xdotool", "search", "--sync", "--onlyvisible", "--name", "^\(title)$")
        return String(output.prefix { $0 != "\n" })
    }

    private func geometry(of title: String) async throws -> (x: Int, y: Int, width: Int, height: Int) {
        let output = try await run("/usr/bin/xdotool", "getwindowgeometry", "--shell", window(title))
        let values = output.split(separator: "\n").reduce(into: [Substring: Int]()) { values, line in
            let parts = line.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = Int(parts[1]) }
        }
        return (values["X"] ?? 0, values["Y"] ?? 0, values["WIDTH"] ?? 0, values["HEIGHT"] ?? 0)
    }

    private static func numbers(_ text: Substring) -> [Int] { text.split(separator: " ").compactMap { Int($0) } }
}
