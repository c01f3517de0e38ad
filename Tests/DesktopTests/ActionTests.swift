import LonghaulCore
import TestSupport
import Testing

/// The buttons of the three windows, with their symbols, words, and names.
extension DesktopTests {
    @Suite(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")")) struct ActionTests {
        private static let words: Set<Substring> = [
            "Download", "Pause", "Resume", "Cancel", "Retry", "Remove", "Delete", "Play",
        ]

        @Test func eachActionHasOneSymbolAndOneWordInAllWindows() async throws {
            let buttons = try await screencastsButtons() + photoDropButtons() + stormyButtons()
            var wordsOfSign: [Substring: Set<Substring>] = [:]
            var signsOfWord: [Substring: Set<Substring>] = [:]
            for button in buttons {
                // A button with a word needs no tooltip.
                let spoken = button.name.prefix { $0 != " " }
                let seen = button.tooltip.isEmpty ? button.text : button.tooltip
                let shown = seen.isEmpty && Self.words.contains(spoken) ? spoken : seen
                // A page has the number of its downloads in its title, if there are any.
                let word = shown.firstRange(of: " (").map { shown[..<$0.lowerBound] } ?? shown
                if !word.isEmpty {
                    wordsOfSign[button.sign, default: []].insert(word)
                    signsOfWord[word, default: []].insert(button.sign)
                }
                #expect(!Self.words.contains(word) || button.name.hasPrefix(word + " "), "\(button)")
            }
            for (sign, words) in wordsOfSign { #expect(words.count == 1, "\(sign) stands for \(words)") }
            for (word, signs) in signsOfWord { #expect(signs.count == 1, "\(word) looks like \(signs)") }
            #expect(Self.words.subtracting(signsOfWord.keys).isEmpty, "each action is shown: \(signsOfWord)")
        }

        /// A press beside Play must not delete.
        private func expectDistance(_ widgets: [ShownWidget]) throws {
            let delete = try #require(widgets.first { $0.kind == "button" && $0.name.hasPrefix("Delete ") })
            let play = try #require(widgets.first { $0.kind == "button" && $0.name.hasPrefix("Play ") })
            let rings = widgets.filter {
                $0.kind == "button" && ["Pause ", "Resume ", "Retry "].contains(where: $0.name.hasPrefix)
            }
            #expect(Set(rings.map(\.x)).count == 1, "they stand in a column: \(rings)")
            // A row that is done is as high as before, so that no row moves below the pointer.
            #expect(rings.allSatisfy { $0.height == play.height }, "\(play) \(rings)")
            #expect(play.x - (delete.x + delete.width) >= 12 && play.width > delete.width)
        }

        private func screencastsButtons() async throws -> [ShownWidget] {
            let app = Example.screencasts
            try await app.build()
            let desktop = try await Desktop()
            let server = try Nginx()
            try server.serveOld(Content(seed: 1, length: 24 << 20), as: "film.mp4")
            let addresses = ["film.mp4", "trickle/film.mp4/2", "trickle/film.mp4/3", "missing.mp4", "film.mp4?5"]
            let running = try desktop.startScreencasts(
                EpisodeFeed(addresses: addresses.map { server.url("/" + $0) }, length: 24 << 20),
                with: try await desktop.watchingWidgets())
            for number in 1...4 { try await desktop.click("Episodes>Download \(number).*", in: app) }
            _ = try await desktop.find("Episodes>Play 1.*", in: app)
            _ = try await desktop.find("Episodes>Retry 4.*", in: app)
            let episodes = try await desktop.widgets(of: running)
            try await desktop.press("alt+2")
            try await desktop.click("Downloads>Pause 3.*", in: app)
            _ = try await desktop.find("Downloads>Resume 3.*", in: app)
            let downloads = try await desktop.widgets(of: running)
            try await desktop.picture("screencasts-11-actions", atOnce: true)
            try expectDistance(downloads)
            return (episodes + downloads).filter { $0.kind == "button" }
        }

        private func photoDropButtons() async throws -> [ShownWidget] {
            let app = Example.photoDrop
            try await app.build()
            let desktop = try await Desktop()
            let latch = Latch()
            defer { latch.open() }
            let server = try NastyServer(routes: [
                "/album": .inTurn(.status(201), .status(403), .status(201).held(by: latch))
            ])
            try desktop.setAlbum(server.url("/album"))
            let photos = try await [
                desktop.makePhoto("one.jpg", sky: "#33507e-#f2a65a", sea: "#d9793f-#1d2f45"),
                desktop.makePhoto("two.jpg", sky: "#7fb2e5-#e8f1e4", sea: "#6f9a4d-#2c4a22"),
                desktop.makePhoto("three.jpg", sky: "#0d1530-#3c4a78", sea: "#25335c-#070b18"),
            ]
            let running = try desktop.start(app, photos[0], with: try await desktop.watchingWidgets())
            _ = try await desktop.find("In the album", in: app)
            try await desktop.run(app.path, photos[1])
            _ = try await desktop.find("Retry two.jpg", in: app)
            try await desktop.run(app.path, photos[2])
            _ = try await desktop.find("Cancel three.jpg", in: app)
            let widgets = try await desktop.widgets(of: running)
            try await desktop.picture("photo-drop-14-actions", atOnce: true)
            #expect(widgets.contains { $0.name == "Remove one.jpg" })
            return widgets.filter { $0.kind == "button" }
        }

        private func stormyButtons() async throws -> [ShownWidget] {
            let app = Example.stormy
            try await app.build()
            let desktop = try await Desktop()
            try desktop.product.home.makeDirectory("config/stormy")
            let address = "http://127.0.0.1:9/"
            try desktop.product.home.write(
                "[Addresses]\nweather=\(address)\nalbum=\(address)\n".utf8, to: "config/stormy/settings.ini")
            let running = try desktop.start(app, with: try await desktop.watchingWidgets())
            _ = try await desktop.find("Check Now", role: "push button", in: app)
            return try await desktop.widgets(of: running).filter { $0.kind == "button" }
        }
    }
}
