import TestSupport
import Testing

/// The main menus of the three windows.
extension DesktopTests {
    @Suite struct MenuTests {
        /// The items of one app are at the top, the common ones at the bottom; the words are those that the user reads.
        @Test(arguments: [
            (Example.photoDrop, ["Remove Finished", "Album…"], "Photo Drop"),
            (.stormy, ["Addresses…"], "Stormy"),
            (
                .screencasts, ["Open Feed…", "Refresh and Check Files", "Download All", "Pause All", "Resume All"],
                "Screencasts"
            ),
        ]) func exampleOpensMenuByKeyAndQuits(example: Example, own: [String], title: String) async throws {
            try await example.build()
            let desktop = try await Desktop()
            try await desktop.install(example)
            let running = try desktop.start(example)
            _ = try await desktop.find("Main Menu", in: example)
            // The menu key of every GNOME window.
            try await desktop.press("F10")
            _ = try await desktop.find("About \(title)", role: "menu item", in: example)
            try await desktop.picture("menu-\(example.program)")
            let items = try await desktop.tree(of: example).split(separator: "\n").compactMap { line in
                line.split(separator: "|").first { $0.hasSuffix("menu item") } == nil
                    ? nil : line.split(separator: "|").dropFirst().first.map(String.init)
            }
            #expect(items == own + ["Keyboard Shortcuts", "About \(title)"])
            try await desktop.press("Escape")
            try await desktop.waitUntilGone("About \(title)", role: "menu item", in: example)
            // The same mnemonic has the same effect in every app.
            try await desktop.press("F10")
            _ = try await desktop.find("About \(title)", role: "menu item", in: example)
            try await desktop.press("a")
            _ = try await desktop.find("Details", role: "label", in: example)
            #expect(running.isRunning)
        }
    }
}
