import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    @Suite struct ManyDownloadsTests {
        private let count = Endurance.size(10_000, small: 600)
        private let kills = Endurance.size(3, small: 1)
        /// The number of complete bodies that may wait in memory to be placed.
        private static let held = 2_000

        /// Every file exists once and is correct, even those that were named before they were recorded. Only downloads
        /// that were active or in memory at a kill were requested again.
        @Test(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
        func thousandsOfDownloadsOutliveKillsOfTheService() async throws {
            let nginx = try Nginx()
            // No response is sent until all transfers are submitted and listed.
            let relay = try CountingRelay(to: nginx.port, downLimit: 0)
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("many downloads"))
            for number in 0..<count { try nginx.serve(Self.bytes(number), as: Self.name(number)) }
            try product.home.makeDirectory("work/many")
            let list = (0..<count).map { "\(Transport.current.scheme)://127.0.0.1:\(relay.port)/\(Self.name($0))\n" }
                .joined()
            try product.home.write(list.utf8, to: "work/list")
            let limit = try #require(JSONText(try await product.succeed("limits", "--json")).number("total"))
            let clock = ContinuousClock()
            let begin = clock.now
            let ids = try await product.succeed("download", "-d", "many", "-i", "list", "--detach")
            print("many downloads: \(count) submitted in \(clock.now - begin)")
            #expect(ids.split(separator: "\n").count == count)
            try await measureList(product)
            relay.allow(down: .max)
            var watch = try product.start("watch", "--json")
            for _ in 0..<kills {
                try await watch.waitForOutput(bytes: Int.random(in: 1_000...count * 250, using: &chance))
                #expect(watch.isRunning, "it ended before the kill: \(watch.errorOutput) \(watch.output.suffix(600))")
                try await product.killService()
                watch = try product.start("watch", "--json")
            }
            let ending = try await watch.waitForEnd(limit: .seconds(180))
            #expect(ending == .exited(0), "\(watch.errorOutput) \(watch.output.suffix(600))")
            print("many downloads: all ended after \(clock.now - begin)")
            try nginx.stop()
            try await check(product, nginx, limit: Int(limit))
        }

        private func check(_ product: Product, _ nginx: Nginx, limit: Int) async throws {
            let names = try await product.home.settledNames("work/many")
            #expect(names == (0..<count).map(Self.name))
            let wrong = (0..<count).filter { (try? product.home.read("work/many/\(Self.name($0))")) != Self.bytes($0) }
            #expect(wrong.isEmpty)
            let log = nginx.log
            print("many downloads: \(log.count) requests, \(limit) at a time")
            #expect(Set(log.map(\.uri)).count == count)
            #expect(log.count <= count + kills * (limit + Self.held))
        }

        /// Measures the list. The figure is informative; the bound only detects a hang.
        private func measureList(_ product: Product) async throws {
            var times: [Duration] = []
            for _ in 0..<20 {
                let begin = ContinuousClock().now
                let lines = try await product.succeed("list")
                times.append(ContinuousClock().now - begin)
                #expect(lines.split(separator: "\n").count > 20)
            }
            times.sort()
            print("list with \(count) queued: median \(times[times.count / 2]), longest \(times.last ?? .zero)")
            #expect(times.last ?? .zero < .seconds(30))
        }

        private static func name(_ number: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: 5 - digits.count) + digits + ".txt"
        }

        private static func bytes(_ number: Int) -> [UInt8] {
            contentBytes(seed: UInt64(number), length: 100 + number % 1_000)
        }
    }
}
