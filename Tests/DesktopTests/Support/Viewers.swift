import Glibc
import LonghaulCore
import TestSupport

extension Desktop {
    /// Installs an app for files of some types, which only logs the files that it is to show.
    func makeViewer(of types: [String]) throws {
        let home = product.home
        mkdir(home.path("data/applications"), 0o700)
        try home.write(
            """
            [Desktop Entry]
            Type=Application
            Name=Viewer
            Exec=/bin/sh -c "echo \\"$1\\" > '\(home.path("viewed"))'" sh %f
            MimeType=\(types.joined(separator: ";"));

            """.utf8, to: "data/applications/viewer.desktop")
        let defaults = types.map { "\($0)=viewer.desktop\n" }.joined()
        try home.write(("[Default Applications]\n" + defaults).utf8, to: "config/mimeapps.list")
    }

    /// Waits until a file was shown, and returns its path.
    func viewed() async throws -> String {
        try await waitForFile("viewed")
        return String(decoding: try product.home.read("viewed").dropLast(), as: UTF8.self)
    }

    /// Waits until a file in the user's home is not empty.
    func waitForFile(_ name: String) async throws {
        try await run(
            "/bin/sh", "-c", "until test -s \"$0\"; do sleep 0.05; done", product.home.path(name))
    }
}
