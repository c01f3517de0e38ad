import Glibc
import LonghaulCore
import TestSupport
import Testing

/// One rate for all sessions of a user, which the service divides among the active sessions.
@Suite(
    .timeLimit(.minutes(5)), .onEachTransport, .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
struct SharedRateTests {
    private static let sessions = ["org.example.films", "org.example.photos", "org.example.music"]
    private static let length: Int64 = 6 << 20
    private static let rate: Int64 = 3 << 20

    @Test(arguments: ["download", "upload"])
    func severalSessionsShareTheGlobalRateFairly(_ command: String) async throws {
        var tries: [[Double]] = []
        // On a busy machine, a session may have been kept from its share; a session that is denied its share gets less each time.
        while tries.count < 3 {
            let ends = try await share(command)
            tries.append(ends)
            // Equal shares end together; if one session gets nothing, the first ends after two thirds of the time.
            if (ends.min() ?? 0) * 10 >= (ends.max() ?? 0) * 7 { return }
        }
        Issue.record("they ended after \(tries) seconds")
    }

    /// Transfers the same amount for each session, and checks the rate. Returns after how many seconds each ended, by
    /// the service's clock, because external polls are far apart on a busy machine.
    private func share(_ command: String) async throws -> [Double] {
        let product = try Product()
        let server = try Nginx()
        let content = Content(seed: 93, length: Self.length)
        try server.serveOld(content, as: "f.bin")
        try product.home.write(content, to: "work/f.bin")
        // No session is ahead when the rate is set: all have started by then.
        try await product.succeed("limits", "--all-sessions", "--rate", "60k")
        for session in Self.sessions {
            let operands =
                command == "download"
                ? ["-o", session, server.url("/f.bin")] : ["f.bin", server.url("/dav/\(session)")]
            let started = try await product.call(
                "longhaul", [command, "--detach", "--session", session] + operands
            ).run()
            #expect(started.ending == .exited(0), "\(started.errorOutput)")
        }
        while try await bytes(product).contains(0) {}
        let clock = SuspendingClock()
        let begin = clock.now
        let started = Self.secondOfDay
        let before = try await bytes(product)
        try await product.succeed("limits", "--all-sessions", "--rate", "\(Self.rate)")
        var ends: [Double] = []
        while ends.count < Self.sessions.count { ends = try await self.ends(product, after: started) }
        // Each has a moment's worth at the start, before the shares are settled.
        let atRate = Self.length * 3 - before.reduce(0, +) - Self.rate * 2
        let least = Double(atRate) / Double(Self.rate)
        #expect(clock.now - begin >= .seconds(least), "they were faster together than the rate")
        return ends
    }

    private func bytes(_ product: Product) async throws -> [Int64] {
        try await lists(product).map { $0["bytesDone"].flatMap { Int64($0) } ?? 0 }
    }

    /// Returns after how many seconds the sessions ended, for those that have ended.
    private func ends(_ product: Product, after started: Double) async throws -> [Double] {
        try await lists(product).compactMap { list in
            // 2026-01-02T03:04:05.000006Z
            guard let time = list["endedAt"]?.dropFirst(11).dropLast() else { return nil }
            let second = time.split(separator: ":").compactMap { Double($0) }.reduce(0) { $0 * 60 + $1 }
            return second < started ? second + 86_400 - started : second - started
        }
    }

    private static var secondOfDay: Double {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Double(now.tv_sec % 86_400) + Double(now.tv_nsec) / 1e9
    }

    private func lists(_ product: Product) async throws -> [JSONText] {
        var lists: [JSONText] = []
        for session in Self.sessions {
            lists.append(
                JSONText(try await product.call("longhaul", ["list", "--json", "--session", session]).run().output))
        }
        return lists
    }
}
