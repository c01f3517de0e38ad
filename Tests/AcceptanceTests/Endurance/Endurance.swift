import LonghaulCore
import TestSupport
import Testing

/// What takes the whole machine: one after the other. In the clear it runs at its full size; with TLS and HTTP/2, which add
/// nothing to what a kill can meet but their own buffers, at a smaller one, as with another libcurl
/// (`LONGHAUL_ENDURANCE=small`).
@Suite(.serialized, .onEachTransport) struct Endurance {
    /// One of two sizes.
    static func size<Size>(_ full: Size, small: Size) -> Size { Transport.current.isSecure || isShort ? small : full }

    private static let isShort = Tools.environment["LONGHAUL_ENDURANCE"] == "small"

    /// What handshakes, records and frames may add to a body that crosses a relay.
    static func overhead(of length: Int64, connections: Int) -> Int64 {
        Transport.current.isSecure ? length / 50 + Int64(connections) * (16 << 10) : 0
    }
}

/// Hundreds of apps that die, one after the other. They need little of the machine, and so come beside everything else.
@Suite(.serialized, .onEachTransport) struct DyingApps {}

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
