import LonghaulCore
import TestSupport
import Testing

/// A server that requires a pause of an hour, and a user who does not want to wait for that.
@Suite(.onEachTransport) struct HeldHostTests {
    private let product: Product
    private let server: NastyServer

    init() throws {
        product = try Product()
        server = try NastyServer(routes: [
            "/busy": .inTurn(.busy(retryAfter: "3600"), .busy(retryAfter: "3600"), .status(200, body: "b")),
            "/hello.txt": Route(.status(200, body: "hello")), "/other": Route(.status(200, body: "x")),
        ])
    }

    private func submit(_ path: String, _ options: String...) async throws -> String {
        let result = try await product.call("longhaul", ["download", "--detach", server.url(path)] + options).run()
        #expect(result.exitStatus == 0, "\(result.errorOutput)")
        return String(result.output.prefix(36))
    }

    /// Starts a transfer that was refused, and one that waits for the same host.
    private func beginHeld() async throws -> (busy: String, held: String) {
        let busy = try await submit("/busy")
        try await product.wait(for: busy, "its date") { $0["reason"] == "serverBusy" }
        return (busy, try await submit("/hello.txt"))
    }

    @Test func heldTransferReportsReasonAndTime() async throws {
        let (busy, held) = try await beginHeld()
        let facts = try await product.facts(held)
        #expect(facts["reason"] == "turn" && facts["turnLimit"] == "heldHost")
        let until = facts["until"]
        let cause = try await product.facts(busy)
        #expect(cause["retryAfter"] == until && until != nil)
        #expect(try #require(cause["until"]) > #require(until), "the transfer adds its own back-off")
        #expect(
            try await product.call("longhaul", ["show", busy]).run().output.contains(
                "waiting: 127.0.0.1 requested a pause of "))
        let words = "waiting: 127.0.0.1 requested a pause (Retry-After); continues in "
        for command in [["show", held], ["list"]] {
            #expect(try await product.call("longhaul", command).run().output.contains(words))
        }
        let advice = try await product.succeed("doctor", held)
        #expect(
            advice.contains("127.0.0.1 responded to another transfer with Retry-After: no requests before "))
        #expect(!advice.contains("longhaul limits") && advice.contains("run longhaul retry \(held.suffix(8))."))
        #expect(server.requests.map(\.path) == ["/busy"])
    }

    @Test func retryTriesNowAgainstTheServersWish() async throws {
        let (busy, held) = try await beginHeld()
        let third = try await submit("/other")
        try await product.succeed("retry", busy)
        try await server.waitForRequests(2)
        try await product.wait(for: busy, "its new date") { $0["reason"] == "serverBusy" && $0["attempts"] == "2" }
        #expect(try await product.facts(held)["turnLimit"] == "heldHost")
        try await product.succeed("retry", held)
        try await product.wait(for: held, state: "succeeded")
        try await product.wait(for: third, state: "succeeded")
        #expect(server.requests.map(\.path) == ["/busy", "/busy", "/hello.txt", "/other"])
        try await product.succeed("retry", busy)
        try await product.wait(for: busy, state: "succeeded")
    }

    @Test func cancellingTheOneThatWasSentAwayLetsTheOthersGo() async throws {
        let (busy, held) = try await beginHeld()
        try await product.succeed("cancel", busy)
        try await product.wait(for: held, state: "succeeded")
    }

    @Test func aTimeLimitEndsTheWaitForAHeldHost() async throws {
        _ = try await submit("/busy")
        try await server.waitForRequests(1)
        try await product.wait(for: try await product.list()[0]["id"] ?? "", "its date") {
            $0["reason"] == "serverBusy"
        }
        let result = try await product.longhaul("download", "--max-time", "1", server.url("/hello.txt"))
        #expect(result.exitStatus == 11 && result.errorOutput.contains("time limit"))
        #expect(result.errorOutput.contains("requested a pause"))
    }
}
