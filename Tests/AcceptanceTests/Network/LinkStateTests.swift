import LonghaulCore
import TestSupport
import Testing

/// Links, addresses, and routes that change under the service, on a machine of the test's own.
@Suite(
    .onEachTransport, .timeLimit(.minutes(4)), .enabled(if: Product.missing == nil, "\(Product.missing ?? "")"),
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

    /// The server at the wire's other end.
    private var peer: String { WiredMachine.serverAddress }
    private let newAddress = "10.77.0.3"

    private func waitForNetwork(_ state: String) async throws {
        var shown = ""
        let limit = ContinuousClock.now + .patience
        while !shown.contains("\"network\":\"\(state)\"") {
            try #require(ContinuousClock.now < limit, "\(shown)")
            shown = try await product.succeed("conditions", "--json")
        }
    }

    /// Replaces the address of the machine.
    private func move() async throws {
        try await machine.own.run(
            "ip addr del \(WiredMachine.ownAddress)/24 dev wire; ip addr add \(newAddress)/24 dev wire; "
                + "ip route replace default via \(peer)")
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

    @Test func lostCarrierKeepsTransfersWaiting() async throws {
        try await waitForNetwork("reachable")
        try await machine.far.run("ip link set wire down")
        let id = String(
            try await product.succeed(
                "download", "--detach", "--retry", "1", "--connect-timeout", "2", server.url("/f.bin")
            )
            .prefix { $0 != "\n" })
        try await waitForNetwork("none")
        #expect(try await machine.own.run("ip route show default").contains("linkdown"))
        try await product.wait(for: id, "its wait") { $0["reason"] == "network" }
        #expect(try await product.succeed("show", "--json", id).contains("\"offline\""))
        try await machine.far.run("ip link set wire up")
        try await product.wait(for: id, state: "succeeded")
    }

    @Test(arguments: ["download", "upload"])
    func lostAddressEndsTheConnectionAtOnce(_ direction: String) async throws {
        let content = Content(seed: 6, length: 20 << 20)
        server.setRoute("/big.bin", .inTurn(.file(content).stalled(after: 5 << 20, by: Latch()), .file(content)))
        server.setRoute(
            "/in", .inTurn(Reply(status: 201).intake(.stall(after: 1 << 20, Latch())), .status(201)))
        try product.home.write(content, to: "work/up.bin")
        let words =
            direction == "download"
            ? ["download", "--detach", "--split", "1", server.url("/big.bin")]
            : ["upload", "--detach", "up.bin", server.url("/in")]
        let id = String(try await product.call("longhaul", words).run().output.prefix { $0 != "\n" })
        try await server.waitForRequests(1)
        try await product.wait(for: id, "its bytes") { Int($0["bytesDone"] ?? "") ?? 0 > 0 }
        try await move()
        // The limit for a stalled body would end the old connection after minutes.
        try await server.waitForRequests(2)
        try await product.wait(for: id, state: "succeeded")
        #expect(try await product.facts(id)["attempts"] == "2")
    }

    @Test func lostAddressEndsIdleConnections() async throws {
        try await product.succeed("download", "-q", server.url("/f.bin"))
        let connections = "ss -Htn state established src \(WiredMachine.ownAddress)"
        #expect(try await !machine.own.run(connections).isEmpty)
        try await move()
        let limit = ContinuousClock.now + .patience
        while try await !machine.own.run(connections).isEmpty { try #require(ContinuousClock.now < limit) }
        try await product.succeed("download", "-q", "--again", server.url("/f.bin"))
    }

    @Test func lostRouteEndsTheConnectionAndKeptOneStays() async throws {
        let latch = Latch()
        let content = Content(seed: 7, length: 20 << 20)
        server.setRoute("/big.bin", .inTurn(.file(content).stalled(after: 5 << 20, by: latch), .file(content)))
        let id = String(
            try await product.succeed("download", "--detach", "--split", "1", server.url("/big.bin")).prefix {
                $0 != "\n"
            })
        try await product.wait(for: id, "its bytes") { Int($0["bytesDone"] ?? "") ?? 0 > 0 }
        // Another address and another route leave the connection alone.
        try await machine.own.run("ip addr add \(newAddress)/24 dev wire; ip route del default")
        try await waitForNetwork("reachable")
        #expect(try await product.facts(id)["attempts"] == "1" && server.requests.count == 1)
        try await machine.own.run("ip route flush table main")
        try await product.wait(for: id, "its wait") { $0["reason"] == "network" }
        try await machine.own.run("ip route add 10.77.0.0/24 dev wire")
        try await product.wait(for: id, state: "succeeded")
        latch.open()
    }
}
