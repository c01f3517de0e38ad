import Glibc
import LonghaulCore
import TestSupport
import Testing

/// One rate for all sessions of a person, divided by the service among those that move bytes.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
struct SharedRateTests {
    private static let sessions = ["org.example.films", "org.example.photos", "org.example.music"]
    private static let length: Int64 = 6 << 20
    private static let rate: Int64 = 3 << 20

    @Test func severalSessionsShareTheGlobalRateFairly() async throws {
        let product = try Product()
        let server = try Nginx()
        try server.serveOld(Content(seed: 93, length: Self.length), as: "f.bin")
        // Nobody is ahead when the rate is there: all have begun by then.
        try await product.succeed("limits", "--global-rate", "60k")
        for session in Self.sessions {
            try await product.succeed(
                "download", "--detach", "--session", session, "-o", session, server.url("/f.bin"))
        }
        while try await bytes(product).contains(0) {}
        let clock = SuspendingClock()
        let begin = clock.now
        let before = try await bytes(product)
        try await product.succeed("limits", "--global-rate", "\(Self.rate)")
        var counts = before
        var last = before
        while counts.max() ?? 0 < Self.length {
            last = counts
            counts = try await bytes(product)
        }
        let fewest = last.min() ?? 0
        // A busy machine is not fair to all of them, and who cannot use a share gets a smaller one for a while.
        #expect(fewest * 4 >= Self.length * 3 / 4, "the slowest had \(fewest) when the quickest was nearly through")
        while try await bytes(product).min() ?? 0 < Self.length {}
        // Each has a moment's worth at the beginning, when the shares are not settled.
        let atRate = Self.length * 3 - before.reduce(0, +) - Self.rate * 2
        let least = Double(atRate) / Double(Self.rate)
        #expect(clock.now - begin >= .seconds(least), "they were faster together than the rate")
    }

    private func bytes(_ product: Product) async throws -> [Int64] {
        var counts: [Int64] = []
        for session in Self.sessions {
            let result = try await product.call("longhaul", ["list", "--json", "--session", session]).run()
            counts.append(JSONText(result.output)["bytesDone"].flatMap { Int64($0) } ?? 0)
        }
        return counts
    }
}
