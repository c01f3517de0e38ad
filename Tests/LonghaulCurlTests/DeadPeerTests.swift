import Glibc
import LonghaulCore
import LonghaulCurl
import LonghaulSystem
import TestSupport
import Testing

/// Peers whose packets are lost, and peers that are only silent. The kernel measures the real time, so the limits are short here,
/// and the engine's clock is stopped.
@Suite(
    .tags(.libcurl), .onEachTransport,
    .enabled(if: NetworkNamespace.missing == nil, "\(NetworkNamespace.missing ?? "")"))
struct DeadPeerTests {
    /// The packets that are lost.
    enum Loss: String, CaseIterable {
        case all
        case fromServer = "sport"
        case toServer = "dport"

        func begin(in network: NetworkNamespace, port: Int) throws {
            for end in [Self.fromServer, .toServer] where self == .all || self == end {
                try network.add(rule: "tcp \(end.rawValue) \(port) drop")
            }
        }
    }

    private static let content = Content(seed: 73, length: 10_000_000)
    private static let big = Content(seed: 74, length: 40_000_000)

    /// Runs in a network namespace, over the transport of the test.
    private func run(_ body: @escaping @Sendable (NetworkNamespace) throws -> Void) async throws {
        let network = try NetworkNamespace(hook: "input")
        let transport = Transport.current
        try await network.run { try Transport.$current.withValue(transport) { try body(network) } }
    }

    @Test(arguments: Loss.allCases) func deadPeerIsNoticedInEachPhase(loss: Loss) async throws {
        try await run { network in
            let phases = try Phases(.short)
            try loss.begin(in: network, port: phases.world.server.port)
            for ticket in phases.tickets {
                let failure = try #require(try phases.world.outcome(of: ticket).failure)
                // libcurl opens another connection if the first one was opened for another request.
                let isTriedAgain = Transport.current == .http2
                #expect(isTriedAgain || failure.code == .connectionLost)
                #expect(
                    isTriedAgain
                        || failure.message
                            == "127.0.0.1:\(phases.world.server.port) stopped responding, so Longhaul closed the connection. Check the network."
                )
            }
        }
    }

    @Test(arguments: Loss.allCases) func deadPeerOfReusedConnectionIsNoticed(loss: Loss) async throws {
        try await run { network in
            let world = try World(["/f": Route(.status(200))], peerLimits: .short)
            #expect(try world.exchange(world.request("GET", "/f")).ending == .responded)
            try loss.begin(in: network, port: world.server.port)
            var plan = world.request("GET", "/f")
            // libcurl opens another connection.
            plan.network.connectTimeout = .seconds(1)
            #expect(try world.exchange(plan).failure != nil)
            #expect(world.server.connections == 1)
        }
    }

    /// The silence is several times as long as a dead peer would need to be noticed.
    @Test func silentPeerSurvivesInEachPhase() async throws {
        try await run { _ in
            let phases = try Phases(.short)
            let end = ContinuousClock.now + .seconds(7)
            while ContinuousClock.now < end {
                usleep(100_000)
                try #require(phases.tickets.allSatisfy(phases.world.isRunning))
            }
            phases.gates.forEach { $0.open() }
            for ticket in phases.tickets { #expect(try phases.world.outcome(of: ticket).ending == .responded) }
            #expect(phases.world.server.requests.count == phases.tickets.count)
        }
    }

    /// An exchange in each phase: before the response, after a body, and in the middle of one in either direction.
    private struct Phases {
        let gates = (0..<4).map { _ in Latch() }
        let world: World
        let tickets: [Ticket]

        init(_ limits: PeerLimits) throws {
            world = try World(
                [
                    "/get": Route(.status(200).held(by: gates[0])), "/put": Route(.status(201).held(by: gates[1])),
                    "/down": Route(.file(content).stalled(after: 5_000_000, by: gates[2])),
                    "/up": Route(.status(201).intake(.stall(after: 1_000, gates[3]))),
                ], peerLimits: limits)
            let plans = [
                world.request("GET", "/get"),
                world.request("PUT", "/put", body: try world.fileBody(content, name: "small")),
                world.download("/down"), world.request("PUT", "/up", body: try world.fileBody(big)),
            ]
            tickets = plans.map { [world] plan in
                var plan = plan
                plan.network.connectTimeout = .seconds(1)
                return world.start(.exchange(plan))
            }
            for latch in gates { try latch.waitForArrivals() }
            world.waitUntilReceived(5_000_000, tickets[2])
        }
    }
}

extension PeerLimits {
    /// A few seconds. The kernel still repeats data for minutes, so only the engine ends a connection with unacknowledged data.
    fileprivate static var short: PeerLimits {
        var limits = PeerLimits()
        limits.probes = PeerProbes(idle: 1, interval: 1, count: 2, longestPause: 20_000)
        limits.unanswered = .seconds(2)
        return limits
    }
}
