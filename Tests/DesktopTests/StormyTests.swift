import Glibc
import LonghaulCore
import TestSupport
import Testing

extension Example {
    static let stormy = Example(package: "Stormy", program: "StormyWindow", id: "io.longhaul.Stormy")
}

/// The second example system: the storm watcher, as the user sees it.
extension DesktopTests {
    @Suite struct StormyTests {
        private static let session = "io.longhaul.Stormy"
        private let app = Example.stormy
        private let sky = Latch()
        private let album = Latch()

        @Test func userChecksWeatherAndSendsPhotoFromNotification() async throws {
            let (desktop, server) = try await begin("Thunderstorm +9°C", heldBy: sky)
            let photo = try await desktop.makePhoto(
                "storm.jpg", sky: "#1b2444-#5b6b8f", sea: "#3a4a5c-#10151f", length: 24 << 20)
            try await addLastDays(desktop)
            let first = try desktop.start(app)
            _ = try await desktop.find("Wait for a Storm", role: "label", in: app)
            try await desktop.picture("stormy-1-empty")
            try await desktop.click("Set Addresses…", role: "push button", in: app)
            try await desktop.click("Weather", in: app)
            try await desktop.type(server.url("/weather"))
            try await desktop.click("Album", in: app)
            try await desktop.type(server.url("/album"))
            try await desktop.picture("stormy-2-addresses")
            try await desktop.click("Save", role: "label", in: app)
            _ = try await desktop.find("Drizzle, 11 °C", role: "label", in: app)
            _ = try await desktop.find("*, 12:00", role: "label", in: app)
            try await desktop.click("Check Now", role: "push button", in: app)
            try await sky.waitForArrivals()
            _ = try await desktop.find("Checking…", in: app)
            try await desktop.picture("stormy-3-checking")
            sky.open()
            _ = try await desktop.find("Thunderstorm, 9 °C", role: "label", in: app)
            _ = try await desktop.find("Temperatures: *; * 9 °C, Thunderstorm", in: app)
            try await desktop.waitForNotification(picture: "stormy-4-storm")
            // The notification covers the window's buttons.
            try await desktop.press("ctrl+w")
            #expect(try await first.waitForEnd() == .exited(0))
            // The bus starts the app on the click.
            try await desktop.clickNotification(picture: "stormy-5-closed", isAlone: true)
            _ = try await desktop.find("Send Photos", in: app)
            try await desktop.press("slash")
            _ = try await desktop.find("*", role: "text", in: app)
            try await desktop.type(String(photo.dropFirst()))
            try await desktop.press("Return")
            try await desktop.waitUntilGone("Send Photos", in: app)
            try await album.waitForArrivals()
            _ = try await desktop.find("Sent, waiting for the server", in: app)
            try await desktop.picture("stormy-6-photo")
            album.open()
            _ = try await desktop.find("Your photo is in the album", in: app)
            try await desktop.picture("stormy-7-sent")
            #expect(server.requests.map(\.method) == ["GET", "PUT"])
        }

        /// The time is forced; the test of the program without a window covers the automatic start.
        @Test func atNoonItIsStartedWithoutAWindowAndWhatItHeardIsShownLater() async throws {
            let (desktop, server) = try await begin("Sunny +19°C")
            try desktop.product.home.makeDirectory("config/stormy")
            let settings = "[Addresses]\nweather=\(server.url("/weather"))\nalbum=\(server.url("/album"))\n"
            try desktop.product.home.write(settings.utf8, to: "config/stormy/settings.ini")
            let first = try desktop.start(app)
            _ = try await desktop.find("*, 12:00", role: "label", in: app)
            _ = try await desktop.find("No Answer Yet", role: "label", in: app)
            #expect(try await desktop.close(app, first) == .exited(0))
            try await desktop.run(
                Product.directory + "/longhaul", "tasks", "run", "noon", "--session", Self.session)
            try await server.waitForFinishedRequests(1)
            let answers = desktop.product.home.path("data/stormy/answers")
            while access(answers, R_OK) != 0 { try await Task.sleep(for: .milliseconds(20)) }
            try await desktop.picture("stormy-8-noon")
            let windows = try await ProgramCall(
                "/usr/bin/xdotool", ["search", "--onlyvisible", "--name", "Stormy"], environment: desktop.environment
            ).run()
            #expect(windows.output.isEmpty, "no window is shown at noon")
            let again = try desktop.start(app)
            _ = try await desktop.find("Sunny, 19 °C", role: "label", in: app)
            #expect(server.requests.count == 1 && again.isRunning)
        }

        @Test func windowFitsNarrowDarkScreen() async throws {
            let (desktop, server) = try await begin("Sunny +19°C")
            try await addLastDays(desktop)
            try desktop.product.home.makeDirectory("config/stormy")
            let settings = "[Addresses]\nweather=\(server.url("/weather"))\nalbum=\(server.url("/album"))\n"
            try desktop.product.home.write(settings.utf8, to: "config/stormy/settings.ini")
            let running = try desktop.start(app, with: ["ADW_DEBUG_COLOR_SCHEME": "prefer-dark"])
            _ = try await desktop.find("Drizzle, 11 °C", role: "label", in: app)
            try await desktop.resizeWindow("Stormy", width: 360, height: 640)
            _ = try await desktop.find("*, 12:00", role: "label", in: app)
            try await desktop.press("F5")
            _ = try await desktop.find("Sunny, 19 °C", role: "label", in: app)
            try await desktop.picture("stormy-9-narrow-dark")
            #expect(running.isRunning)
        }

        /// A line has two ends: a single answer is shown as text, and a chart with one point would show no more.
        @Test func theChartComesWithTheSecondDay() async throws {
            let (desktop, _) = try await begin("Sunny +19°C")
            try desktop.product.home.makeDirectory("config/stormy")
            try desktop.product.home.write(
                "[Addresses]\nweather=http://127.0.0.1:9/\nalbum=http://127.0.0.1:9/\n".utf8,
                to: "config/stormy/settings.ini")
            try await addLastDays(desktop, 1)
            let first = try desktop.start(app)
            _ = try await desktop.find("Drizzle, 11 °C", role: "label", in: app)
            try await desktop.waitUntilGone("Recent Days", in: app)
            try await desktop.picture("stormy-10-first-day")
            #expect(try await desktop.close(app, first) == .exited(0))
            try await addLastDays(desktop, 2)
            let second = try desktop.start(app)
            _ = try await desktop.find("Recent Days", role: "label", in: app)
            _ = try await desktop.find("Temperatures: *, Fog; * 11 °C, Drizzle", in: app)
            try await desktop.picture("stormy-11-second-day")
            #expect(second.isRunning)
        }

        private func begin(_ weather: String, heldBy latch: Latch? = nil) async throws -> (Desktop, NastyServer) {
            try await app.build()
            let desktop = try await Desktop()
            try await desktop.install(app)
            let answer = Reply.status(200, body: weather + "\n").with { $0.latch = latch }
            let server = try NastyServer(routes: [
                "/weather": Route(answer), "/album/*": Route(.status(201).held(by: album)),
            ])
            return (desktop, server)
        }

        /// Adds the answers of earlier noons.
        private func addLastDays(_ desktop: Desktop, _ count: Int = 12) async throws {
            let all = [
                "Sunny 17", "Sunny 19", "Cloudy 18", "Thunderstorm 14", "Rain 12", "Cloudy 13", "Sunny 15", "Sunny 18",
                "Cloudy 16", "Thunderstorm 10", "Fog 9", "Drizzle 11",
            ]
            let days = all.suffix(count)
            let now = time(nil)
            let lines = days.enumerated().map { "\(now - (days.count - $0) * 86_400) \($1)°C\n" }
            let place = desktop.product.home.path("data/stormy")
            if access(place, F_OK) != 0 { try desktop.product.home.makeDirectory("data/stormy") }
            try desktop.product.home.write(lines.joined().utf8, to: "data/stormy/answers")
        }
    }
}
