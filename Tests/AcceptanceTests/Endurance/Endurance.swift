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

/// SHA-256 of a file, or of what a URL gives.
func sha256(file path: String) async throws -> String {
    try await ProgramCall("/usr/bin/sha256sum", ["--", path]).run().output.split(separator: " ").first.map(String.init)
        ?? ""
}
