import LonghaulCore
import TestSupport
import Testing

/// Links, addresses, and routes that change under the service, on a machine of the test's own.
@Suite(
    .timeLimit(.minutes(4)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
    .enabled(if: NetworkNamespace.missing == nil, "\(NetworkNamespace.missing ?? "")"))
struct LinkStateTests {
    private let machine: WiredMachine
    private let product: Product
    private let server: NastyServer

    init() throws {
        machine = try WiredMachine()
        product = try Product(in: machine.own)
        server = try NastyServer(over: .http1, in: machine)
        server.setRoute("/f.bin", .file(Content(seed: 5, length: 1_000)))
    }

    /// The server, on the wire's other end.
    private var peer: String { WiredMachine.serverAddress }

    private func waitForNetwork(_ state: String) async throws {
        var shown = ""
        let limit = ContinuousClock.now + .seconds(20)
        while !shown.contains("\"network\":\"\(state)\"") {
            try #require(ContinuousClock.now < limit, "\(shown)")
            shown = try await product.succeed("conditions", "--json")
        }
    }

    @Test func policyRoutesAndLocalLinksAreANetwork() async throws {
        try await waitForNetwork("reachable")
        try await machine.own.run("ip route del default")
        try await waitForNetwork("reachable")
        try await machine.own.run("ip route flush table main")
        try await waitForNetwork("none")
        try await machine.own.run(
            "ip route add \(peer) dev wire table 51820; ip route add default via \(peer) table 51820; "
                + "ip rule add table 51820")
        try await waitForNetwork("reachable")
        try await product.succeed("download", "-q", server.url("/f.bin"))
    }
}
