import LonghaulCore
import TestSupport
import Testing

extension Example {
    static let oneDownload = Example(package: "DesktopKit", program: "OneDownload", id: "org.example.OneDownload")
}

/// DesktopKit as an app author meets it: with the smallest app.
extension DesktopTests {
    @Suite struct DesktopKitTests {
        private let app = Example.oneDownload

        /// There is no app for such a file, so its folder is opened.
        @Test func theSmallestAppComesBackToItsDownloadAndOpensIt() async throws {
            try await app.build()
            let desktop = try await Desktop()
            try desktop.makeViewer(of: ["inode/directory"])
            let latch = Latch()
            let server = try NastyServer(routes: [
                "/film.longhaul": Route(.status(200, body: "\u{0}\u{1}").held(by: latch))
            ])
            let environment = ["ADDRESS": server.url("/film.longhaul")]
            let first = try desktop.start(app, with: environment)
            _ = try await desktop.find("The Film", role: "list item", in: app)
            try await latch.waitForArrivals()
            first.signal(9)
            try await first.waitForEnd()
            latch.open()
            let second = try desktop.start(app, with: environment)
            _ = try await desktop.find("Downloaded", in: app)
            try await desktop.picture("desktopkit-3-smallest")
            try await desktop.click("The Film", role: "label", in: app)
            #expect(try await desktop.viewed() == desktop.product.home.path("Downloads"))
            #expect(second.isRunning && server.requests.count == 1)
        }

        @Test func theGuideHasTheSmallestAppAsItIsBuilt() async throws {
            let package = Example.root + "/Examples/DesktopKit/"
            let source = try await ProgramCall("/usr/bin/cat", [package + "Sources/OneDownload/main.swift"]).run()
                .output
            let guide = try await ProgramCall("/usr/bin/cat", [package + "README.md"]).run().output
            #expect(guide.contains("```swift\n" + source + "```"))
        }
    }
}
