import Glibc
import LonghaulCore
import TestSupport
import Testing

/// Conditions, budgets, and rates of the programs as a user sees them; the network is set to metered manually.
@Suite(
    .onEachTransport, .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: Nginx.missing == nil, "\(Nginx.missing ?? "")"))
struct BudgetAndRateTests {
    private static let content = Content(seed: 91, length: 12 << 20)
    private let product: Product
    private let server: Nginx

    init() throws {
        product = try Product()
        server = try Nginx()
        try server.serveOld(Self.content, as: "f.bin")
    }

    private func submit(_ options: String...) async throws -> String {
        let result = try await product.call("longhaul", ["download", "--detach"] + options + [server.url("/f.bin")])
            .run()
        return String(result.output.prefix { $0 != "\n" })
    }

    @Test func manualConditionOutlivesService() async throws {
        try await product.succeed("conditions", "set", "metered", "yes")
        let id = try await submit("--no-metered")
        try await product.wait(for: id, "its wait") { $0["reason"] == "metered" }
        #expect(try await product.succeed("doctor", id).contains("set manually"))
        try await product.succeed("service", "stop")
        #expect(try await product.succeed("conditions").contains("metered       yes (set manually"))
        #expect(try await product.facts(id)["reason"] == "metered" && server.log.isEmpty)
        try await product.succeed("conditions", "set", "metered", "auto")
        let end = try await product.wait(for: id, state: "succeeded")
        #expect(end["attempts"] == "1")
    }

    @Test func aBudgetIsKeptAlsoByAServiceThatIsKilled() async throws {
        try await product.succeed("conditions", "set", "metered", "yes")
        try await product.succeed("limits", "--budget", "5M")
        let id = try await submit("--limit-rate", "8M")
        try await product.wait(for: id, "the end of the budget") { $0["reason"] == "budget" }
        let used = try await used()
        #expect(used >= 5 << 20 && used <= (5 << 20) + (64 << 10), "\(used)")
        #expect(try await product.facts(id)["until"] != nil)
        try await product.killEverything()
        #expect(try await self.used() >= used)
        #expect(try await product.facts(id)["reason"] == "budget")
        try await product.succeed("anyway", id)
        try await product.wait(for: id, state: "succeeded")
        #expect(try await product.facts(id)["attempts"] == "1")
    }

    @Test func aRateIsChangedWhileBytesMove() async throws {
        try server.serveOld(Content(seed: 92, length: 200 << 20), as: "f.bin")
        try await product.succeed("limits", "--rate", "4M")
        try await product.succeed("limits", "--all-sessions", "--rate", "1G")
        let id = try await submit()
        try await product.wait(for: id, "its bytes") { $0["phase"] == "receiving" }
        #expect(try await product.succeed("doctor", id).contains("longhaul limits"))
        try await product.succeed("set", "--limit-rate", "2M", id)
        #expect(try await product.facts(id)["rateLimit"] == "2097152")
        try await product.succeed("limits", "--rate", "none")
        try await product.succeed("set", "--limit-rate", "none", id)
        try await product.wait(for: id, state: "succeeded")
        #expect(try await product.facts(id)["rateLimit"] == nil)
        #expect(try await product.facts(id)["attempts"] == "1")
    }

    @Test func meaninglessArgumentsAreRefused() async throws {
        let calls = [
            ["conditions", "set", "metered", "perhaps"], ["conditions", "set", "weather", "yes"],
            ["limits", "--rate", "fast"], ["limits", "--schedule", "mon-fri=5k"], ["set", "--all"],
            ["rules", "--between", "22:00-22:00"], ["rules", "--metered", "maybe"], ["anyway"],
            ["download", "--between", "25:00-26:00", "http://a.test/"],
        ]
        for arguments in calls {
            let result = try await product.call("longhaul", arguments).run()
            #expect(result.exitStatus == 2, "\(arguments): \(result.errorOutput)")
            #expect(result.errorOutput.hasPrefix("longhaul: "), "\(result.errorOutput)")
        }
    }

    private func used() async throws -> Int64 {
        let limits = JSONText(try await product.succeed("limits", "--json"))
        return limits["bytesOfDay"].flatMap { Int64($0) } ?? -1
    }
}
