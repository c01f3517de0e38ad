import Glibc
import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    @Suite struct KilledSegmentsTests {
        private let kills = Endurance.size(10, small: 3)
        private let length: Int64 = Endurance.size(96 << 20, small: 24 << 20)

        /// A download over several connections resumes in its holes after each kill: the file equals the server's, and
        /// recorded ranges were not requested again.
        @Test(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
        func aDownloadInPartsOutlivesKills() async throws {
            let nginx = try Nginx()
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("killed segments"))
            let content = Content(seed: chance.seed, length: length)
            try nginx.serveOld(content, as: "film.bin")
            try product.home.makeDirectory("work/films")
            let relay = try CountingRelay(to: nginx.port, downLimit: 0)
            let url = "\(Transport.current.scheme)://127.0.0.1:\(relay.port)/film.bin"
            var command = try product.start("download", "--split", "4", "-d", "films", "--json", url)
            let id = try await command.waitForOutput(for: "an identifier") { JSONText($0)["id"] }
            var known: Int64 = 0
            for kill in 1...kills {
                let moment = relay.value.down + Int64.random(in: 1...length / Int64(kills + 4), using: &chance)
                relay.allow(down: moment)
                _ = try await relay.wait(for: "byte \(moment) of kill \(kill)") { $0.down >= moment ? true : nil }
                // Sometimes the received bytes are synced before the kill.
                let delay = UInt32.random(in: 0...1_200_000, using: &chance)
                try await aside { _ = usleep(delay) }
                try await product.killEverything()
                #expect(try await command.waitForEnd() != .exited(0), "the download ended before kill \(kill)")
                command = try product.start("watch", "--json")
                // No bytes pass before the next kill.
                let last = try #require(try await product.facts(id).number("bytesDone"))
                // The first bytes of ranges after holes are fetched again.
                #expect(last >= known - 16 * SegmentSeams.overlap, "a later life knows no less")
                known = last
            }
            let before = relay.value.down
            relay.allow(down: .max)
            try await product.succeed("watch", id)
            #expect(try await product.home.settledNames("work/films") == ["film.bin"])
            #expect(try Checksum(of: product.home.read("work/films/film.bin")) == content.checksum)
            let rest = relay.value.down - before
            print("killed segments: \(known) of \(length) were known after the last kill, \(rest) came then")
            // Bytes in flight on an interrupted connection are wasted: as many as its sockets and the relay's hold.
            let overhead = Endurance.overhead(of: length, connections: relay.value.connections)
            #expect(rest <= length - known + overhead + Int64(relay.value.connections) * (8 << 20))
        }
    }
}
