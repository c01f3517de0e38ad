import LonghaulCore
import TestSupport
import Testing

/// What takes the whole machine: one after the other.
@Suite(.serialized) struct Endurance {}

/// A walk that can be walked again: `LONGHAUL_TEST_SEED` names it.
func walkSeed(_ test: String) -> UInt64 {
    let seed = Tools.environment["LONGHAUL_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 1...999_999)
    print("\(test): LONGHAUL_TEST_SEED=\(seed)")
    return seed
}

/// The byte of the wire at which the next kill comes: now and then the first one, now and then in the head, else anywhere
/// in the body that leaves room for those that are `left`.
func killMoment(after done: Int64, of length: Int64, left: Int, _ chance: inout SeededChance) -> Int64 {
    switch Int.random(in: 0..<10, using: &chance) {
    case 0: done + 1
    case 1: done + Int64.random(in: 1...500, using: &chance)
    default: done + Int64.random(in: 500...max(1_000, (length - done) / Int64(left + 2)), using: &chance)
    }
}

/// SHA-256 of a file, or of what a URL gives.
func sha256(file path: String) async throws -> String {
    try await ProgramCall("/usr/bin/sha256sum", ["--", path]).run().output.split(separator: " ").first.map(String.init)
        ?? ""
}
