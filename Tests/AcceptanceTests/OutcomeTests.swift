import LonghaulCore
import TestSupport
import Testing

/// A request whose response never comes, and a service that is killed while it waits: the request is sent again only if
/// it may be.
@Suite(.onEachTransport) struct OutcomeTests {
    private let product: Product
    private let latch = Latch()
    private let server: NastyServer
    private let content = Content(seed: 8, length: 200_000)

    init() throws {
        product = try Product()
        server = try NastyServer(routes: ["/in": .inTurn(.silence(latch), .status(201))])
        try product.home.write(content, to: "work/a")
    }

    /// Submits, and kills the service when the whole body has arrived without a response.
    private func killWhileItWaits(_ options: String...) async throws -> String {
        let call = product.call("longhaul", ["upload", "--detach", "a", server.url("/in")] + options)
        let id = String(try await call.run().output.prefix(36))
        try await product.wait(for: id, state: "awaitingResponse")
        try await latch.waitForArrivals()
        try await product.killService()
        return id
    }

    private var bodies: [Checksum] { server.requests.filter(\.isBodyComplete).map(\.bodyChecksum) }

    @Test func aPostIsNotSentAgainAndItsOutcomeIsUnknown() async throws {
        let id = try await killWhileItWaits("-X", "POST")
        let result = try await product.longhaul("watch", id)
        #expect(result.exitStatus == 10 && result.errorOutput.contains("Check"))
        #expect(try await product.facts(id)["state"] == "failed")
        #expect(bodies == [content.checksum] && server.requests.count == 1)
    }

    @Test func aRedirectThatIsNotFollowedIsAnAnswer() async throws {
        server.setRoute("/form", Route(.redirect(302, to: "/thanks?id=7")))
        for words in [
            ["upload", "-X", "POST", "a", server.url("/form")], ["request", "POST", server.url("/form"), "-d", "x"],
        ] {
            let result = try await product.call("longhaul", words).run()
            #expect(result.exitStatus == 6 && result.errorOutput.contains("It may already have processed the request"))
            let id = try #require(
                try await product.longhaul("list", "--json").output.split(separator: "\n").last?.dropFirst(7).prefix(36)
            )
            #expect(try await product.longhaul("show", String(id)).output.contains("/thanks?(secret)"))
        }
        #expect(server.requests.map(\.method) == ["POST", "POST"])
    }

    @Test func aPutIsSentAgain() async throws {
        let id = try await killWhileItWaits()
        try await product.succeed("watch", id)
        #expect(bodies == [content.checksum, content.checksum])
    }

    @Test func aPostWithAnIdempotencyKeyIsSentAgainWithTheSameKey() async throws {
        let id = try await killWhileItWaits("-X", "POST", "--idempotency-key", "order-7")
        try await product.succeed("watch", id)
        #expect(bodies == [content.checksum, content.checksum])
        #expect(server.idempotencyKeys == ["order-7": 2] || server.idempotencyKeys == ["\"order-7\"": 2])
    }
}
