import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    @Suite struct KilledDownloadTests {
        private static let kills = 20
        private static let length: Int64 = 192 << 20
        /// What the engine itself holds of a download before it reaches the file.
        private static let engineBuffer: Int64 = 1 << 20

        /// The file is what the server has, nothing lies beside it, and nginx sent no more than the file and what was
        /// in buffers at each kill: every command went on where the last one had been.
        @Test(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
        func aDownloadOutlivesTwentyKillsOfCommandAndService() async throws {
            let nginx = try Nginx()
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("killed download"))
            try nginx.serveOld(Content(seed: chance.seed, length: Self.length), as: "film.bin")
            try product.home.makeDirectory("work/films")
            var command = try product.start(
                "download", "-d", "films", "--limit-rate", "32M", "--json", nginx.url("/film.bin"))
            let id = try await command.waitForOutput(for: "an identifier") { JSONText($0)["id"] }
            var buffers = SocketMemory()
            var done: Int64 = 0
            for kill in 1...Self.kills {
                let moment = done + Int64.random(in: 0...7_000_000, using: &chance)
                done = try await command.waitForOutput(for: "byte \(moment) of kill \(kill)") { output in
                    let bytes = JSONText(output.split(separator: "\n").last.map(String.init) ?? "").number("bytesDone")
                    return bytes.flatMap { $0 >= moment ? $0 : nil }
                }
                buffers.widen(try await .found(port: nginx.port, toPort: false))
                try await product.killEverything()
                #expect(try await command.waitForEnd() != .exited(0), "the download ended before kill \(kill)")
                command = try product.start("watch", "--json")
            }
            try await product.succeed("watch", id)
            #expect(product.home.names("work/films") == ["film.bin"])
            let wanted = Content(seed: chance.seed, length: Self.length).checksum
            #expect(try Checksum(of: product.home.read("work/films/film.bin")) == wanted)
            try nginx.stop()
            let sent = nginx.log.reduce(0) { $0 + $1.bodyBytesSent }
            print("killed download: \(sent - Self.length) bytes beyond \(Self.length); one socket buffer is \(buffers)")
            #expect(sent <= Self.length + Int64(Self.kills) * (buffers.total + Self.engineBuffer))
            let starts = nginx.log.map { $0.range.flatMap { Int64($0.dropFirst(6).dropLast()) } ?? 0 }
            #expect(starts == starts.sorted() && starts.last ?? 0 > Self.length / 4, "\(starts)")
        }
    }
}
