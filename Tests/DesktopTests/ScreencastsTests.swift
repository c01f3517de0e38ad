import Glibc
import LonghaulCore
import TestSupport
import Testing

/// `Examples/Screencasts` as a user uses it.
extension DesktopTests {
    @Suite(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")")) struct ScreencastsTests {
        private static let megabyte: Int64 = 1 << 20
        private let app = Example.screencasts
        private let server: Nginx

        init() throws {
            server = try Nginx()
            try server.serveOld(Content(seed: 1, length: 24 * Self.megabyte), as: "film.mp4")
        }

        /// Number 1 arrives at once. The others take longer than the test on any machine.
        private func feed(_ count: Int) -> EpisodeFeed {
            let slow = (2...count).map { server.url("/trickle/film.mp4/\($0)") }
            return EpisodeFeed(addresses: [server.url("/film.mp4")] + slow, length: 24 * Self.megabyte)
        }

        @Test func anEpisodeIsDownloadedPausedGoneOnWithPlayedAndDeleted() async throws {
            try await app.build()
            let desktop = try await Desktop()
            try desktop.makeViewer(of: ["video/mp4", "application/octet-stream"])
            try server.serve(Array(feed(20).json.utf8), as: "feed.json")
            let first = try desktop.start(app)
            try await desktop.click("Open Feed…", in: app)
            _ = try await desktop.find("Address", role: "text", in: app)
            try await desktop.picture("screencasts-1-open")
            try await desktop.type(server.url("/feed.json"))
            try await desktop.press("Return")
            _ = try await desktop.find("Download 2.*", in: app)
            try await desktop.picture("screencasts-2-episodes")

            for number in 1...4 { try await desktop.click("Episodes>Download \(number).*", in: app) }
            for number in 2...4 { try await desktop.row(number, in: "Episodes") { $0.hasSuffix("left") } }
            _ = try await desktop.find("Play 1.*", in: app)
            try await desktop.picture("screencasts-3-rings", atOnce: true)
            try await desktop.press("alt+2")
            try await desktop.click("Downloads>Pause 3.*", in: app)
            let paused = try await desktop.row(3) { $0.hasPrefix("Paused") }
            // The command and the window write sizes alike.
            let listed = try await desktop.longhaul("list", "--session", app.id)
            #expect(listed.contains("24.0 MiB") && paused.hasSuffix("of 24.0 MiB"), "\(paused); \(listed)")
            try await desktop.picture("screencasts-4-downloads", atOnce: true)

            first.signal(SIGKILL)
            try await first.waitForEnd()
            let second = try desktop.start(app)
            _ = try await desktop.find("Episodes>Pause 2.*", in: app)
            try await desktop.press("alt+2")
            #expect(try await desktop.row(3) { _ in true } == paused)
            try await desktop.row(2) { $0.hasSuffix("left") }
            try await desktop.click("Downloads>Resume 3.*", in: app)
            try await desktop.row(3) { $0.hasSuffix("left") }
            try await desktop.activate("Downloads>Cancel 3.*", in: app)
            try await desktop.click("Keep", in: app)
            try await desktop.waitUntilGone("Keep", in: app)
            try await desktop.row(3) { $0.hasSuffix("left") }
            try await desktop.activate("Downloads>Cancel 3.*", in: app)
            try await desktop.click("Cancel Download", in: app)
            try await desktop.row(3) { $0 == "Cancelled" }

            try await desktop.click("Downloads>Play 1.*", in: app)
            #expect(try await desktop.viewed() == desktop.video("1. Result Builders.mp4"))
            try await desktop.activate("Downloads>Delete 1.*", in: app)
            try await desktop.picture("screencasts-5-question")
            try await desktop.click("Keep", in: app)
            try await desktop.waitUntilGone("Keep", in: app)
            #expect(access(desktop.video("1. Result Builders.mp4"), F_OK) == 0)
            try await desktop.activate("Downloads>Delete 1.*", in: app)
            try await desktop.click("Delete", in: app)
            _ = try await desktop.find("“1. Result Builders” is in the trash", in: app)
            try await desktop.picture("screencasts-5-deleted", atOnce: true)
            #expect(access(desktop.video("1. Result Builders.mp4"), F_OK) != 0)
            try await desktop.closeWindow("Screencasts")
            #expect(try await second.waitForEnd() == .exited(0))
        }

        @Test func waitReasonIsShownAndFailureIsRetried() async throws {
            try await app.build()
            let desktop = try await Desktop()
            let addresses = [server.url("/trickle/film.mp4/1"), server.url("/missing.mp4")]
            let running = try desktop.startScreencasts(
                EpisodeFeed(addresses: addresses, length: 24 * Self.megabyte),
                with: ["ADW_DEBUG_COLOR_SCHEME": "prefer-dark"])
            _ = try await desktop.find("Download 2.*", in: app)
            try await desktop.longhaul("conditions", "set", "metered", "yes")
            try await desktop.press("ctrl+d")
            try await desktop.press("alt+2")
            try await desktop.row(1) { $0 == "Waiting for an unmetered network" }
            try await desktop.row(2) { $0 == "Waiting for an unmetered network" }
            try await desktop.resizeWindow("Screencasts", width: 380, height: 640)
            try await desktop.picture("screencasts-6-metered")
            try await desktop.click("Use Metered Network", role: "check box", in: app)
            try await desktop.row(1) { $0.hasSuffix("left") }
            try await desktop.row(2) { $0.hasPrefix("There is nothing") || $0.contains("404") }
            try await desktop.picture("screencasts-7-failed", atOnce: true)
            try server.serve([1, 2, 3], as: "missing.mp4")
            try await desktop.click("Downloads>Retry 2.*", in: app)
            _ = try await desktop.find("Play 2.*", in: app)
            running.signal(SIGTERM)
            try await running.waitForEnd()
        }

        @Test func missingAndOrphanedFilesAreFoundAndFixed() async throws {
            try await app.build()
            let desktop = try await Desktop()
            let running = try desktop.startScreencasts(feed(3))
            try await desktop.click("Download 1.*", in: app)
            _ = try await desktop.find("Play 1.*", in: app)
            #expect(unlink(desktop.video("1. Result Builders.mp4")) == 0)
            try await desktop.press("F5")
            _ = try await desktop.find("The file of “1. Result Builders” is gone", in: app)
            try await desktop.picture("screencasts-8-gone")
            try await desktop.click("Download", in: app)
            _ = try await desktop.find("Play 1.*", in: app)
            #expect(access(desktop.video("1. Result Builders.mp4"), F_OK) == 0)

            let strays = ["Nobody's.mp4", ".longhaul-018f0000-0000-7000-8000-000000000000.part"]
            for name in strays { try desktop.product.home.write([1, 2, 3], to: "Videos/Screencasts/" + name) }
            try await desktop.press("F5")
            _ = try await desktop.find("2 files belong to no episode", in: app)
            try await desktop.picture("screencasts-9-orphans")
            try await desktop.click("Delete", in: app)
            for name in strays { try await desktop.waitForFile("data/Trash/files/" + name) }
            #expect(desktop.product.home.names("Videos/Screencasts") == ["1. Result Builders.mp4"])
            running.signal(SIGTERM)
            try await running.waitForEnd()
        }

        /// The notification appears when the window is closed: a user who clicks it wants to see the result.
        @Test func aClickOnTheNotificationThatItIsDonePlaysIt() async throws {
            try await app.build()
            let desktop = try await Desktop()
            try await desktop.install(app)
            try desktop.makeViewer(of: ["video/mp4", "application/octet-stream"])
            let latch = Latch()
            let server = try NastyServer(routes: ["/short.mp4": Route(.status(200, body: "a film").held(by: latch))])
            let running = try desktop.startScreencasts(
                EpisodeFeed(addresses: [server.url("/short.mp4")], length: 6))
            try await desktop.click("Download 1.*", in: app)
            _ = try await desktop.find("Pause 1.*", in: app)
            try await desktop.closeWindow("Screencasts")
            #expect(try await running.waitForEnd() == .exited(0))
            latch.open()
            try await desktop.clickNotification(picture: "screencasts-10-done", isAlone: true)
            #expect(try await desktop.viewed() == desktop.video("1. Result Builders.mp4"))
            _ = try await desktop.find("Downloads>Play 1.*", in: app)
        }
    }
}
