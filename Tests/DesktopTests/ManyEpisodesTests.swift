import Glibc
import LonghaulCore
import TestSupport
import Testing

/// `Examples/Screencasts` with more episodes than any user watches.
extension DesktopTests {
    @Suite(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")")) struct ManyEpisodesTests {
        private let app = Example.screencasts

        @Test func fiveHundredEpisodesAreAllRightAfterTheServiceWasKilledAndAnIdleAppSleeps() async throws {
            try await app.build()
            let desktop = try await Desktop(width: 700, height: 1_800)
            let latch = Latch()
            defer { latch.open() }
            let server = try episodeServer(latch)
            // 40 are downloaded, 40 fail, five stall, and the others are queued. Without an explicit limit, one more
            // would start after those have stalled for a minute.
            try await desktop.longhaul("limits", "--per-host", "5", "--session", app.id)
            let paths = (1...500).map { $0 <= 40 ? "/whole/\($0)" : $0 <= 80 ? "/missing/\($0)" : "/half/\($0)" }
            let first = try desktop.startScreencasts(
                EpisodeFeed(addresses: paths.map { server.url($0) }, length: 4 << 20))
            _ = try await desktop.find("Download 1.*", in: app)
            try await desktop.press("ctrl+d")
            try await desktop.press("alt+2")
            let counts = "5 downloading · 415 waiting · 40 failed · 40 downloaded"
            _ = try await desktop.find(counts + "*", in: app)
            first.signal(SIGKILL)
            try await first.waitForEnd()
            try await desktop.product.killService()

            let second = try desktop.start(app)
            _ = try await desktop.find("Play 1.*", in: app)
            try await desktop.press("alt+2")
            _ = try await desktop.find(counts + "*", in: app)
            try await desktop.resizeWindow("Screencasts", width: 640, height: 1_700)
            let rows = try await allRows(on: desktop)
            try await desktop.picture("screencasts-500-rows")
            #expect(rows.count == 500)
            let wrong = (1...500).filter { number in
                let words = rows[EpisodeFeed.title(number)] ?? "no such row"
                return switch number {
                case ...40: words != "Downloaded · 48.8 KiB"
                case ...80: !words.contains("404")
                case ...85: !words.contains(" of 4.0 MiB")
                default: words != "Waiting for its turn"
                }
            }
            #expect(wrong.isEmpty)

            try await desktop.press("ctrl+shift+p")
            _ = try await desktop.find("420 paused · 40 failed · 40 downloaded", in: app)
            #expect(try await wakeUps(of: second.processID, on: desktop) == 0)
        }

        @Test func aThousandRowsInMotionAreMeasured() async throws {
            try await app.build()
            let desktop = try await Desktop()
            let server = try Nginx()
            try server.serveOld(Content(seed: 1, length: 20 << 20), as: "film.mp4")
            let library = desktop.product.home.path("frames.so")
            try await desktop.run(
                "/bin/sh", "-c", "cc -shared -fPIC -O2 -o \"$0\" \"$1\" $(pkg-config --cflags --libs gtk4)", library,
                Example.root + "/Tests/DesktopTests/Support/frames.c")
            try await desktop.longhaul("limits", "--total", "1000", "--per-host", "1000", "--session", app.id)
            let addresses = (1...1_000).map { server.url("/trickle/film.mp4/\($0)") }
            let running = try desktop.startScreencasts(
                EpisodeFeed(addresses: addresses, length: 20 << 20), with: ["LD_PRELOAD": library])
            _ = try await desktop.find("Download 1.*", in: app)
            try await desktop.press("ctrl+d")
            try await desktop.press("alt+2")
            _ = try await desktop.find("1000 downloading*", in: app)
            running.signal(SIGUSR1)
            for button in ["5", "4"] {
                try await desktop.run(
                    "/usr/bin/xdotool", "mousemove", "400", "600", "click", "--repeat", "60", "--delay", "50", button)
            }
            try await desktop.picture("screencasts-1000-rows", atOnce: true)
            running.signal(SIGUSR2)
            try await running.waitForOutput(containing: "done")
            let lines = running.output.split(separator: "\n").filter {
                $0.hasPrefix("work") || $0.hasPrefix("interval")
            }
            #expect(lines.count == 2)
            for line in lines { print("1000 rows in motion, µs: \(line)") }
        }

        /// Reads the whole list, a page at a time.
        private func allRows(on desktop: Desktop) async throws -> [String: String] {
            var rows: [String: String] = [:]
            try await desktop.click("Downloads>" + EpisodeFeed.title(41), in: app)
            for _ in 0..<40 where rows.count < 500 {
                rows.merge(try await desktop.rows(of: "Downloads")) { $1 }
                try await desktop.press("Next")
            }
            return rows
        }

        /// Returns how often any thread of a process ran in ten seconds. Idle threads of a pool end first, and a
        /// machine that is busy with other tests may still draw: so it measures several times.
        private func wakeUps(of process: Int32, on desktop: Desktop) async throws -> Int {
            let count = #"cat /proc/"$0"/task/*/status | awk '/ctxt/ { sum += $2 } END { print sum }'"#
            var fewest = Int.max
            for _ in 0..<4 where fewest > 0 {
                let output = try await desktop.run(
                    "/bin/sh", "-c", count + "; sleep 10; " + count, "\(process)")
                let sums = output.split(separator: "\n").compactMap { Int($0) }
                // The count of a thread is lost when the thread ends.
                fewest = min(fewest, abs(sums[1] - sums[0]))
            }
            return fewest
        }

        /// A server of episodes that are downloaded, are missing, or stall: at half, then at three quarters.
        private func episodeServer(_ latch: Latch) throws -> NastyServer {
            let half = Reply.file(Content(seed: 1, length: 4 << 20), etag: "\"1\"")
            return try NastyServer(routes: [
                "/whole/*": Route(.file(Content(seed: 1, length: 50_000))),
                "/half/*": .decided { request, _ in
                    half.stalled(after: request.header("Range") == nil ? 2 << 20 : 1 << 20, by: latch)
                },
            ])
        }
    }
}
