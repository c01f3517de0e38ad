import LonghaulCore
import TestSupport
import Testing

/// `--after` and `--after-any`.
@Suite(.onEachTransport) struct FollowingTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/held": Route(.status(200, body: "held").held(by: latch)), "/next": Route(.status(200, body: "next")),
            "/last": Route(.status(200, body: "last")),
        ])
    }

    @Test func successorStartsAfterPredecessorDespiteKill() async throws {
        let first = try await product.succeed("download", "-b", server.url("/held"))
        _ = try await server.waitForRequests(1)
        let second = try await product.succeed(
            "download", "-b", "--after", String(first.suffix(8)), server.url("/next"))
        let third = try await product.succeed("request", "-b", "--after-any", second, server.url("/last"))
        #expect(try await product.facts(second)["reason"] == "predecessor")
        #expect(try await product.facts(second)["predecessor"] == first)
        let said = try await product.succeed("doctor", second)
        #expect(said.contains("The transfer starts after transfer \(first.suffix(8)), which has not ended."), "\(said)")
        #expect(said.contains("If that transfer fails, this one fails too."), "\(said)")
        try await product.killService()
        latch.open()
        try await product.succeed("watch", third)
        #expect(try await product.facts(second)["state"] == "succeeded")
        // Requests before the kill are repeated.
        #expect(server.requests.map(\.path).suffix(3) == ["/held", "/next", "/last"])
    }

    @Test func successorFailsWithPredecessorUnlessAllowed() async throws {
        let first = try await product.succeed("download", "-b", server.url("/held"))
        let second = try await product.succeed("download", "-b", "--after", first, server.url("/next"))
        let third = try await product.succeed("download", "-b", "--after-any", second, server.url("/last"))
        try await product.succeed("cancel", first)
        try await product.succeed("watch", third)
        let shown = try await product.facts(second)
        #expect(shown["state"] == "failed" && shown["code"] == "predecessorFailed")
        let late = try await product.longhaul("download", "--after", first, server.url("/next"))
        #expect(late.exitStatus == 1 && late.errorOutput.contains("was cancelled"), "\(late.errorOutput)")
        let unknown = try await product.longhaul("download", "--after", "0123abcd", server.url("/next"))
        #expect(unknown.exitStatus == 13 && unknown.errorOutput.contains("0123abcd"))
        latch.open()
        try await product.succeed("retry", second)
        try await product.succeed("watch", second)
        #expect(try await product.workNames == ["last", "next"])
    }
}
