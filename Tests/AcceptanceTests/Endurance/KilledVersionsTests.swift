import Glibc
import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    @Suite struct KilledVersionsTests {
        private let kills = Endurance.size(12, small: 6)
        private let old = Content(seed: 441, length: 24 << 20)
        private let new = Content(seed: 442, length: 24 << 20)

        /// Two servers alternate behind one URL, connections break, and all processes are killed sometimes. The file is
        /// one of the two versions, and the directory has no other files.
        @Test func versionsInTurnOutliveKills() async throws {
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("killed versions"))
            let isCalm = Monitor(false)
            let seed = chance.seed
            let server = try NastyServer(routes: [
                "/f": .decided { _, visit in
                    var chance = SeededChance(seed: seed &+ UInt64(visit))
                    var ranges = RangeManners()
                    ranges.honoursPreconditions = chance.next() % 2 == 0
                    let isOld = isCalm.value || chance.next() % 4 != 0
                    let reply = Reply.file(isOld ? old : new, etag: isOld ? "\"old\"" : "\"new\"", ranges: ranges)
                    return isCalm.value ? reply : reply.cut(after: Int64.random(in: 1 << 20...9 << 20, using: &chance))
                }
            ])
            try product.home.makeDirectory("work/films")
            var command = try product.start(
                "download", "--split", "1", "--limit-rate", "16M", "-d", "films", "-o", "f.bin", "--json",
                server.url("/f"))
            let id = try await command.waitForOutput(for: "an identifier") { JSONText($0)["id"] }
            for _ in 1...kills {
                let delay = UInt32.random(in: 50_000...700_000, using: &chance)
                try await aside { _ = usleep(delay) }
                try await product.killEverything()
                _ = try await command.waitForEnd()
                let names = product.home.names("work/films")
                #expect(names.count <= 3, "\(names)")
                command = try product.start("watch", "--json")
                // Restarts are limited, and this transfer must continue.
                if try await product.facts(id)["state"] == "failed" { try await product.succeed("retry", id) }
            }
            isCalm.update { $0 = true }
            if try await product.facts(id)["state"] == "failed" { try await product.succeed("retry", id) }
            try await product.succeed("watch", id)
            #expect(try await product.home.settledNames("work/films") == ["f.bin"])
            let checksum = try Checksum(of: product.home.read("work/films/f.bin"))
            #expect(checksum == old.checksum || checksum == new.checksum)
        }
    }
}
