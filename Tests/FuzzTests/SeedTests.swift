import FuzzTargets
import Glibc
import Testing

/// Replays the seeds of `scripts/fuzz`, each unchanged and with its numbers at the limits of their ranges. A trap would
/// end these tests.
@Suite struct SeedTests {
    @Test(arguments: FuzzTarget.allCases)
    func everySeedIsReadWithoutATrapWhateverItsNumbersAre(_ target: FuzzTarget) {
        let seeds = Self.seeds(of: target)
        #expect(!seeds.isEmpty)
        for seed in seeds {
            target.run(seed)
            for random in 0..<Self.rounds(of: target) {
                if let mutated = target.mutated(seed, random: random &* 0x9E37_79B9_7F4A_7C15) { target.run(mutated) }
            }
        }
    }

    @Test(arguments: FuzzTarget.allCases) func everyExampleIsReadWithoutATrap(_ target: FuzzTarget) {
        for example in target.examples { target.run(example) }
    }

    private static func rounds(of target: FuzzTarget) -> UInt64 { target == .stores ? 20 : 60 }

    private static func seeds(of target: FuzzTarget) -> [[UInt8]] {
        var parts = #filePath.split(separator: "/").dropLast(2).map(String.init)
        parts += ["Fuzz", "Seeds", target.rawValue]
        let directory = "/" + parts.joined(separator: "/")
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().compactMap { read(directory + "/" + $0) }
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        return Array(bytes.prefix(fread(&bytes, 1, bytes.count, file)))
    }
}
