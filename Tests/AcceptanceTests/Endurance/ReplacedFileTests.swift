import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    /// Downloads with random numbers of connections, pauses, and kills, from servers whose responses belong to different versions,
    /// although their lengths, dates, and entity tags are the same. Each produces one version, or fails. `LONGHAUL_TEST_VERSIONS` sets the
    /// number of downloads.
    @Suite struct ReplacedFileTests {
        private static let runs = Tools.environment["LONGHAUL_TEST_VERSIONS"].flatMap(Int.init) ?? 8
        /// How many run at a time.
        private static let width = 20
        /// Bytes per second of each connection, and until when something happens to a download.
        private static let rate: Int64 = 2 << 20
        private static let span = 1.5

        /// nginx derives its entity tag from date and length. A response in progress continues with the old file.
        @Test(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
        func replacedFileIsNeverJoined() async throws {
            let nginx = try Nginx()
            let counts = try await run("replaced files") { round, versions in
                for (number, contents) in versions.enumerated() {
                    try nginx.serveOld(contents[0], as: "\(round)-\(number)")
                }
                return Server(
                    urls: versions.indices.map { nginx.url("/brisk/\(round)-\($0)") },
                    change: { try nginx.replace("\(round)-\($0)", with: versions[$0][1]) })
            }
            #expect(counts[0] + counts[1] > 0)
        }

        /// One of three nodes sends other bytes than those of the stated range, from the start or from a random time
        /// on. Connections break as well.
        @Test func nodeWithShiftedBytesIsNeverJoined() async throws {
            let transport = Transport.current
            let counts = try await run("shifted bytes") { round, versions in
                let contents = Dictionary(
                    uniqueKeysWithValues: versions.enumerated().map { ("/\($0.offset)", $0.element[0]) })
                let chances = Monitor(SeededChance(seed: versions[0][0].seed))
                let faulty = Monitor(
                    chances.update { chance in
                        Set(contents.keys.sorted().filter { _ in Bool.random(using: &chance) })
                    })
                let server = try NastyServer(routes: [
                    "/*": .decided { request, _ in
                        guard let content = contents[request.path] else { return .status(404) }
                        return chances.update { chance in
                            var ranges = RangeManners()
                            if faulty.value.contains(request.path), Int.random(in: 0..<3, using: &chance) == 0 {
                                ranges.bodyShift = .random(in: 1...100_000, using: &chance)
                            }
                            let reply = Reply.file(content, etag: "\"v1\"", ranges: ranges).paced(Self.rate)
                            guard Int.random(in: 0..<6, using: &chance) == 0 else { return reply }
                            return reply.broken(after: .random(in: 1...content.length, using: &chance), over: transport)
                        }
                    }
                ])
                return Server(
                    urls: versions.indices.map { server.url("/\($0)") },
                    change: { number in withExtendedLifetime(server) { faulty.update { _ = $0.insert("/\(number)") } } }
                )
            }
            #expect(counts[0] > 0)
        }

        private struct Server {
            var urls: [String]
            /// Makes later responses for a download belong to another version.
            var change: (Int) throws -> Void
        }

        /// Returns how many downloads gave the first and the second version.
        private func run(
            _ name: String, serving serve: (_ round: Int, _ versions: [[Content]]) throws -> Server
        ) async throws -> [Int] {
            let product = try Product()
            try await product.succeed("limits", "--total", "100", "--per-host", "400")
            var chance = SeededChance(seed: walkSeed(name))
            var (wholes, failures) = ([0, 0], 0)
            for round in 0..<(Self.runs + Self.width - 1) / Self.width {
                let versions = (0..<min(Self.width, Self.runs - round * Self.width)).map { _ in
                    let length = Int64.random(in: 3 << 20...7 << 20, using: &chance)
                    return (0..<2).map { _ in Content(seed: chance.next(), length: length) }
                }
                let server = try serve(round, versions)
                let list = server.urls.enumerated().map { number, url in
                    let split = Int.random(in: 0...4, using: &chance)
                    return "\(url)\n out=\(round)-\(number)\n" + (split > 0 ? " split=\(split)\n" : "")
                }
                try product.home.write(list.joined().utf8, to: "work/list")
                let ids = try await product.succeed("download", "-b", "-q", "-i", "list").split(separator: "\n")
                try #require(ids.count == versions.count)
                try await disturb(product, ids.map(String.init), server, &chance)
                _ = try await product.longhaul("watch", limit: .seconds(180))
                for number in versions.indices {
                    guard let bytes = try? product.home.read("work/\(round)-\(number)") else {
                        failures += 1
                        continue
                    }
                    let version = versions[number].firstIndex { $0.bytes() == bytes }
                    #expect(version != nil, "download \(number) of round \(round) joins two versions")
                    if let version { wholes[version] += 1 }
                }
            }
            print("\(name) over \(Transport.current): \(wholes[0]) old, \(wholes[1]) new, \(failures) failed")
            return wholes
        }

        private enum Event {
            case change(Int), pause, kill
        }

        /// Changes each file, pauses and resumes some downloads, and kills the service in every other round, all at random times.
        private func disturb(
            _ product: Product, _ ids: [String], _ server: Server, _ chance: inout SeededChance
        ) async throws {
            var events = ids.indices.map(Event.change) + [.pause]
            if Bool.random(using: &chance) { events.append(.kill) }
            let times = events.map { _ in Double.random(in: 0...Self.span, using: &chance) }
            let paused = ids.filter { _ in Int.random(in: 0..<3, using: &chance) == 0 } + [ids[0]]
            let start = ContinuousClock.now
            for (time, event) in zip(times, events).sorted(by: { $0.0 < $1.0 }) {
                try await Task.sleep(until: start + .seconds(time))
                switch event {
                case .change(let number): try server.change(number)
                case .pause:
                    for command in ["pause", "resume"] {
                        _ = try await product.call("longhaul", [command] + paused).run()
                    }
                case .kill:
                    try await product.killService()
                    _ = try await product.longhaul("list")
                }
            }
        }
    }
}
