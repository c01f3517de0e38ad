import LonghaulCore
import LonghaulCurl
import TestSupport
import Testing

/// The number and the creation of connections.
@Suite(
    .tags(.libcurl), .enabled(if: TLSServer.missing == nil, "nginx, openssl and python3 are needed"), .onEachTransport)
struct ConnectionTests {
    private func world(_ server: TLSServer) throws -> (World, ExchangePlan) {
        let world = try World()
        var plan = world.request("GET", "/")
        plan.url = server.url + "/f"
        plan.network.caFile = server.certificate
        try server.directory.write([1, 2, 3], to: "www/f")
        return (world, plan)
    }

    @Test func exchangesThatBeginTogetherShareOneConnection() throws {
        let server = try TLSServer.nginx()
        let (world, plan) = try world(server)
        let tickets = (0..<12).map { _ in world.start(.exchange(plan)) }
        let heads = try tickets.map { try world.outcome(of: $0).head }
        #expect(heads.allSatisfy { $0?.headers.single("X-Protocol") == "HTTP/2.0" })
        #expect(Set(heads.map { $0?.headers.single("X-Connection") }).count == 1)
    }

    @Test func http2ResponseReportsSharedConnections() throws {
        let server = try TLSServer.nginx()
        let (world, plan) = try world(server)
        let ticket = world.start(.exchange(plan))
        _ = try world.outcome(of: ticket)
        #expect(world.events(of: ticket).first == .sharesConnections(true))
    }

    @Test func aResponseOfPlainHTTPIsNotWorthAWord() throws {
        let world = try World(["/": Route(.status(200))])
        let ticket = world.start(.exchange(world.request("GET", "/")))
        _ = try world.outcome(of: ticket)
        #expect(!world.events(of: ticket).contains(.sharesConnections(false)))
    }

    @Test func theNextConnectionTakesUpTheTLSSessionOfTheOneBefore() throws {
        let server = try TLSServer.nginx()
        let (world, first) = try world(server)
        var second = first
        second.connection = .unused
        let heads = try [first, second].map { try world.exchange($0).head }
        #expect(heads.map { $0?.headers.single("X-Session") } == [".", "r"])
        #expect(Set(heads.map { $0?.headers.single("X-Connection") }).count == 2)
    }

    /// A balancer may have other servers behind the same address.
    @Test(arguments: [503, 500, 404, 200]) func failureOfTheServerEndsTheUseOfItsConnection(status: Int) throws {
        let world = try World(["/f": Route(.status(status)), "/g": Route(.status(200))])
        let failed = try world.exchange(world.request("GET", "/f"))
        #expect(failed.head?.status == status)
        let isRenewed = status >= 500
        for _ in 0..<3 {
            #expect(try world.exchange(world.request("GET", "/g")).head?.status == 200)
            #expect(world.server.connections == (isRenewed ? 2 : 1), "later requests share the new connection")
        }
    }

    /// The first one waits for a handshake that never completes; the others wait for the first.
    @Test func cancelledWaiterEndsAndNextTakesOver() throws {
        let server = try TLSServer.nginx()
        let (world, wanted) = try world(server)
        let relay = try CountingRelay(to: server.port, downLimit: 0)
        var plan = wanted
        plan.url = "https://127.0.0.1:\(relay.port)/f"
        plan.network.connectTimeout = .seconds(600)
        let tickets = (0..<3).map { [plan] _ in world.start(.exchange(plan)) }
        _ = try relay.waitHere(for: "a connection") { $0.connections == 1 ? true : nil }
        world.engine.cancel(tickets[1])
        #expect(try world.outcome(of: tickets[1]) == ExchangeOutcome(ending: .cancelled, requestLeft: false))
        #expect(relay.value.connections == 1)
        world.engine.cancel(tickets[0])
        _ = try relay.waitHere(for: "another connection") { $0.connections == 2 ? true : nil }
        world.engine.cancel(tickets[2])
        #expect(try world.outcome(of: tickets[2]).ending == .cancelled)
    }
}
