import Glibc
import LonghaulCore
import TestSupport
import Testing

extension Endurance {
    @Suite struct ReplacedFileTests {
        private let runs = Endurance.size(500, small: 20)
        /// So many download at a time.
        private static let width = 20

        /// nginx builds its entity tag from date and length, so that both versions have the same.
        @Test(.enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
        func replacedFileIsNeverJoined() async throws {
            let nginx = try Nginx()
            let product = try Product()
            var chance = SeededChance(seed: walkSeed("replaced files"))
            var (wholes, failures) = ([0, 0], 0)
            for round in 0..<runs / Self.width {
                let versions = (0..<2).map { version in
                    (0..<Self.width).map {
                        Content(seed: UInt64(2 * (round * Self.width + $0) + version), length: 7 << 20)
                    }
                }
                for number in 0..<Self.width {
                    let name = "\(round)-\(number)"
                    try nginx.serveOld(versions[0][number], as: name)
                    let url = nginx.url("/paced/\(name)")
                    if number % 2 == 0 {
                        try await product.succeed("download", "--detach", "-o", name, url)
                    } else {
                        try await product.succeed("download", "--detach", "--split", "4", "-o", name, url)
                    }
                }
                for number in (0..<Self.width).shuffled(using: &chance) {
                    let delay = UInt32.random(in: 0...300_000, using: &chance)
                    try await aside { _ = usleep(delay) }
                    try nginx.replace("\(round)-\(number)", with: versions[1][number])
                }
                _ = try await product.longhaul("watch", limit: .seconds(180))
                for number in 0..<Self.width {
                    let bytes = try? product.home.read("work/\(round)-\(number)")
                    let version = versions.firstIndex { $0[number].bytes() == bytes }
                    #expect(bytes == nil || version != nil, "download \(number) of round \(round) joins two versions")
                    if let version { wholes[version] += 1 } else { failures += 1 }
                }
            }
            print("replaced files: \(wholes[0]) old, \(wholes[1]) new, \(failures) failed")
            #expect(wholes[1] > 0)
        }
    }
}
