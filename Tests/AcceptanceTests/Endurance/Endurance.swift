import LonghaulCore
import TestSupport
import Testing

/// Tests that need the whole machine, one after the other. Over plain HTTP they run at their full size. Over TLS and
/// HTTP/2, which add only their buffers to the possible effects of a kill, they run at a smaller size, as with another
/// libcurl (`LONGHAUL_ENDURANCE=small`).
@Suite(.serialized, .onEachTransport) struct Endurance {
    /// One of two sizes.
    static func size<Size>(_ full: Size, small: Size) -> Size { Transport.current.isSecure || isShort ? small : full }

    private static let isShort = Tools.environment["LONGHAUL_ENDURANCE"] == "small"

    /// The bytes that handshakes, records, and frames may add to a body that passes a relay.
    static func overhead(of length: Int64, connections: Int) -> Int64 {
        Transport.current.isSecure ? length / 50 + Int64(connections) * (16 << 10) : 0
    }
}

/// Hundreds of apps that die, one after the other. They need little of the machine, and run in parallel with other tests.
@Suite(.serialized, .onEachTransport) struct DyingApps {}

/// Returns the seed of a random walk that can be repeated: `LONGHAUL_TEST_SEED` sets it.
func walkSeed(_ test: String) -> UInt64 {
    let seed = Tools.environment["LONGHAUL_TEST_SEED"].flatMap(UInt64.init) ?? .random(in: 1...999_999)
    print("\(test): LONGHAUL_TEST_SEED=\(seed)")
    return seed
}

/// Returns the byte on the wire of the next kill: sometimes the first one, sometimes in the headers, otherwise anywhere
/// in the body that leaves room for the `left` later kills.
func killMoment(after done: Int64, of length: Int64, left: Int, _ chance: inout SeededChance) -> Int64 {
    switch Int.random(in: 0..<10, using: &chance) {
    case 0: done + 1
    case 1: done + Int64.random(in: 1...500, using: &chance)
    default: done + Int64.random(in: 500...max(1_000, (length - done) / Int64(left + 2)), using: &chance)
    }
}

/// Returns the SHA-256 of a file, or of the body of a URL.
func sha256(file path: String) async throws -> String {
    try await ProgramCall("/usr/bin/sha256sum", ["--", path]).run().output.split(separator: " ").first.map(String.init)
        ?? ""
}
