import Glibc
import LonghaulCore
import TestSupport
import Testing

/// The windows at the sizes of their pictures: nothing covers anything, and titles are centered.
extension DesktopTests {
    @Suite(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")")) struct LayoutTests {
        private static let schemes = ["default", "prefer-dark"]
        private static let scales = [1, 2]

        @Test(arguments: schemes, scales)
        func screencastsFits(scheme: String, scale: Int) async throws {
            let app = Example.screencasts
            let (desktop, variables) = try await begin(app, scheme, scale)
            let server = try Nginx()
            try server.serveOld(Content(seed: 1, length: 24 << 20), as: "film.mp4")
            let addresses = ["film.mp4", "slow/film.mp4?2", "slow/film.mp4?3", "missing.mp4"]
            let running = try desktop.startScreencasts(
                EpisodeFeed(addresses: addresses.map { server.url("/" + $0) }, length: 24 << 20), with: variables)
            _ = try await desktop.find("Download 1.*", in: app)
            try await desktop.press("ctrl+d")
            try await desktop.press("alt+2")
            _ = try await desktop.find("Downloads>Play 1.*", in: app)
            _ = try await desktop.find("Downloads>Retry 4.*", in: app)
            #expect(unlink(desktop.video("1. Result Builders.mp4")) == 0)
            for (width, height) in [(640, 720), (380, 640), (360, 400)] {
                try await desktop.resizeWindow("Screencasts", width: width * scale, height: height * scale)
                try await check("Screencasts", running, desktop, "\(scheme)-\(scale)x-\(width)")
            }
            try await desktop.press("F5")
            _ = try await desktop.find("The file of *", in: app)
            try await check("Screencasts", running, desktop, "\(scheme)-\(scale)x-toast")
        }

        @Test(arguments: schemes, scales)
        func photoDropFits(scheme: String, scale: Int) async throws {
            let app = Example.photoDrop
            let (desktop, variables) = try await begin(app, scheme, scale)
            let busy = Reply.status(503).with { $0.headers = [HeaderField("Retry-After", "3600")] }
            let server = try NastyServer(routes: ["/album": .inTurn(.status(201), busy)])
            try desktop.setAlbum(server.url("/album"))
            var photos: [String] = []
            for name in ["dawn.jpg", "dunes.jpg", "noon.jpg", "dusk.jpg", "night.jpg"] {
                photos.append(try await desktop.makePhoto(name, sky: "#f9d5a7-#e88d72", sea: "#c96f6f-#46304f"))
            }
            let running = try desktop.start(app, photos[0], with: variables)
            _ = try await desktop.find("In the album", in: app)
            try await desktop.run(app.path, photos[1], photos[2], photos[3], photos[4])
            _ = try await desktop.find("The server is busy. It continues automatically.", in: app)
            _ = try await desktop.find("You can close this window", in: app)
            for (width, height) in [(480, 600), (360, 500)] {
                try await desktop.resizeWindow("Photo Drop", width: width * scale, height: height * scale)
                let widgets = try await check("Photo Drop", running, desktop, "\(scheme)-\(scale)x-\(width)")
                // The toast says what no row says.
                let texts = widgets.filter { $0.kind == "label" }.map(\.text)
                let toast = try #require(texts.last { $0 == "You can close this window" })
                #expect(texts.count { $0.contains(toast) || toast.contains($0) } == 1, "\(texts)")
            }
        }

        @Test(arguments: schemes, scales)
        func stormyFits(scheme: String, scale: Int) async throws {
            let app = Example.stormy
            let (desktop, variables) = try await begin(app, scheme, scale)
            try desktop.product.home.makeDirectory("config/stormy")
            try desktop.product.home.write(
                "[Addresses]\nweather=http://127.0.0.1:9/\nalbum=http://127.0.0.1:9/\n".utf8,
                to: "config/stormy/settings.ini")
            try desktop.product.home.makeDirectory("data/stormy")
            let now = time(nil)
            let days = (0..<13).map { "\(now - (12 - $0) * 86_400) Thunderstorm \(9 + $0)°C\n" }
            try desktop.product.home.write(days.joined().utf8, to: "data/stormy/answers")
            let running = try desktop.start(app, with: variables)
            _ = try await desktop.find("Temperatures: *", in: app)
            for (width, height) in [(460, 770), (360, 800)] {
                try await desktop.resizeWindow("Stormy", width: width * scale, height: height * scale)
                let widgets = try await check("Stormy", running, desktop, "\(scheme)-\(scale)x-\(width)")
                if scheme == "default", scale == 1 { try await checkChart(widgets, desktop) }
            }
        }

        /// The days below the chart are as far from each other as their points.
        private func checkChart(_ widgets: [ShownWidget], _ desktop: Desktop) async throws {
            let chart = try #require(widgets.first { $0.kind == "chart" })
            let place = try await desktop.find("Temperatures: *", in: .stormy)
            let middles = try await labelMiddles(of: chart, around: place, on: desktop)
            let gaps = zip(middles.dropFirst(), middles).map { $0 - $1 }
            #expect(gaps.count > 1 && (gaps.max() ?? 0) - (gaps.min() ?? 0) <= 4, "\(middles)")
        }

        private func begin(
            _ app: Example, _ scheme: String, _ scale: Int
        ) async throws -> (Desktop, [String: String]) {
            try await app.build()
            let desktop = try await Desktop(width: 800 * scale, height: 900 * scale)
            let look = ["ADW_DEBUG_COLOR_SCHEME": scheme, "GDK_SCALE": "\(scale)"]
            return (desktop, try await desktop.watchingWidgets().merging(look) { $1 })
        }

        /// Expects that no button, label, or symbol covers another one, and that the title is in the middle.
        @discardableResult
        private func check(
            _ title: String, _ running: ChildProcess, _ desktop: Desktop, _ picture: String
        ) async throws -> [ShownWidget] {
            let widgets = try await desktop.widgets(of: running)
            try await desktop.picture("layout-\(title)-\(picture)", atOnce: true)
            let window = try #require(widgets.first { $0.kind == "window" && $0.text == title })
            let seen = widgets.filter { $0.kind != "window" && $0.width > 0 && $0.height > 0 }
            #expect(seen.count > 8)
            for (index, one) in seen.enumerated() {
                for other in seen[..<index] where one.overlaps(other) && one.parent != other.number {
                    // What a button contains lies one in the other.
                    let inner = seen.first { $0.number == one.parent }
                    #expect(inner?.parent == other.number, "\(picture): \(one) covers \(other)")
                }
            }
            if let label = seen.first(where: { $0.kind == "label" && $0.text == title && $0.y < 50 }) {
                #expect(abs(label.x * 2 + label.width - window.width) <= 2, "\(picture): \(label) in \(window)")
            }
            return widgets
        }

        /// The middles of the words below a chart, by their dark columns.
        private func labelMiddles(
            of chart: ShownWidget, around place: FoundWidget, on desktop: Desktop
        ) async throws -> [Int] {
            let left = place.x - chart.width / 2
            let bottom = place.y + chart.height / 2
            let columns = try await desktop.run(
                "/bin/sh", "-c",
                """
                import -window root -crop \(chart.width)x20+\(left)+\(bottom - 20) +repage png:- |
                convert - -colorspace Gray -negate -threshold 25% -scale '\(chart.width)x1!' -threshold 0 txt:-
                """)
            let dark = columns.split(separator: "\n").filter { $0.contains("#FFFFFF") }.compactMap {
                Int($0.prefix { $0 != "," })
            }
            var words: [ClosedRange<Int>] = []
            for column in dark {
                // Spaces within a word are narrower.
                if let last = words.last, column - last.upperBound < 9 {
                    words[words.count - 1] = last.lowerBound...column
                } else {
                    words.append(column...column)
                }
            }
            return words.map { ($0.lowerBound + $0.upperBound) / 2 }
        }
    }
}
