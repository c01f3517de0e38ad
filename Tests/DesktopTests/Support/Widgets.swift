import Glibc
import LonghaulCore
import TestSupport

/// A widget with its place and its contents, from inside the app.
struct ShownWidget: CustomStringConvertible {
    var number: Int
    /// The button that contains it, or its window.
    var parent: Int
    var kind: Substring
    var x, y, width, height: Int
    var icon, text, tooltip, name: Substring

    fileprivate init?(_ line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        let numbers = fields.enumerated().compactMap { [2, 7, 8, 9, 10].contains($0.offset) ? nil : Int($0.element) }
        guard fields.count == 11, numbers.count == 6 else { return nil }
        (number, parent, kind) = (numbers[0], numbers[1], fields[2])
        (x, y, width, height) = (numbers[2], numbers[3], numbers[4], numbers[5])
        (icon, text, tooltip, name) = (fields[7], fields[8], fields[9], fields[10])
    }

    /// The icon or the word of a button.
    var sign: Substring { icon.isEmpty ? text : icon }
    var description: String { "\(kind) \"\(name.isEmpty ? text : name)\" \(icon) \(x),\(y) \(width)x\(height)" }

    func overlaps(_ other: ShownWidget) -> Bool {
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
    }
}

extension Desktop {
    /// Builds what prints the widgets of an app from inside; its environment.
    func watchingWidgets() async throws -> [String: String] {
        let library = product.home.path("widgets.so")
        try await run(
            "/bin/sh", "-c", "cc -shared -fPIC -o \"$0\" \"$1\" $(pkg-config --cflags --libs gtk4)", library,
            Example.root + "/Tests/DesktopTests/Support/widgets.c")
        return ["LD_PRELOAD": library]
    }

    /// Returns the visible widgets of an app started with `watchingWidgets`, when they stop moving.
    func widgets(of running: ChildProcess) async throws -> [ShownWidget] {
        var last = ""
        while true {
            let before = running.output.count
            running.signal(SIGUSR1)
            let text = try await running.waitForOutput(for: "its widgets") { output in
                let new = output.dropFirst(before)
                return new.hasSuffix("end\n") ? String(new) : nil
            }
            let places = text.split(separator: "\n").compactMap { ShownWidget($0) }
            let shape = places.map { "\($0.kind) \($0.x) \($0.y) \($0.icon)" }.joined(separator: "\n")
            if shape == last { return places }
            last = shape
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}
