import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    @Suite struct KilledDownloadTests {
        private let kills = Endurance.size(12, small: 4)
        private let length: Int64 = Endurance.size(192 << 20, small: 64 << 20)
        /// The bytes of a download that the engine itself buffers before they reach the file.
        private static let engineBuffer: Int64 = 8 << 20

        /// The file equals the server's, no other file is left beside it, and nginx sent no more than the file and the
        /// buffered bytes at each kill: every command resumed at the previous offset.
        ///
        /// The times are random: a relay lets some more bytes through, and then the processes are killed.
        @Test(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
        func aDownloadOutlivesKillsOfCommandAndService() async throws {
            let nginx = try Nginx()
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("killed download"))
            let content = Content(seed: chance.seed, length: length)
            try nginx.serveOld(content, as: "film.bin")
            try product.home.makeDirectory("work/films")
            let relay = try CountingRelay(to: nginx.port, downLimit: 0)
            let url = "\(Transport.current.scheme)://127.0.0.1:\(relay.port)/film.bin"
            var command = try product.start("download", "--split", "1", "-d", "films", "--json", url)
            let id = try await command.waitForOutput(for: "an identifier") { JSONText($0)["id"] }
            var buffers = SocketMemory()
            for kill in 1...kills {
                let drawn = killMoment(after: relay.value.down, of: length, left: kills - kill, &chance)
                // The last kill comes late, no matter when the others happened.
                let moment = kill == kills ? max(drawn, length / 4 * 3) : drawn
                relay.allow(down: moment)
                _ = try await relay.wait(for: "byte \(moment) of kill \(kill)") { $0.down >= moment ? true : nil }
                buffers.widen(try await .found(port: nginx.port, toPort: false))
                buffers.widen(try await .found(port: relay.port, toPort: false))
                try await product.killEverything()
                #expect(try await command.waitForEnd() != .exited(0), "the download ended before kill \(kill)")
                command = try product.start("watch", "--json")
            }
            relay.allow(down: .max)
            try await product.succeed("watch", id)
            #expect(try await product.home.settledNames("work/films") == ["film.bin"])
            #expect(try Checksum(of: product.home.read("work/films/film.bin")) == content.checksum)
            try nginx.stop()
            let sent = nginx.log.reduce(0) { $0 + $1.bodyBytesSent }
            print(
                "killed download: nginx sent \(sent - length) bytes beyond \(length), heads included",
                "\(relay.value.down - length) went through; one socket buffer is \(buffers)")
            let overhead = Endurance.overhead(of: length, connections: relay.value.connections)
            #expect(relay.value.down <= length + overhead + Int64(kills) * (buffers.receiver + Self.engineBuffer))
            #expect(sent <= length + Int64(kills) * (2 * buffers.total + Self.engineBuffer))
            let starts = nginx.log.map { $0.range.flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0 }
            // The bytes in sockets at the last kill are a large part of a short file.
            let least = Endurance.size(length / 4, small: -1)
            #expect(starts == starts.sorted() && starts.last ?? 0 > least, "\(starts)")
        }
    }
}
