import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Connections beyond the first of each download, within a host's limit.
@Suite struct ConnectionShareTests {
    private func grants(_ world: LoopWorld) -> [Int] { world.engine.connections.map(\.most) }

    private func downloads(_ world: LoopWorld, _ count: Int, segments: Int? = nil) throws -> [Ticket] {
        for _ in 0..<count { _ = try world.accept(LoopWorld.download { $0.options.segments = segments }) }
        return world.engine.runningJobs.map(\.ticket)
    }

    @Test func loneDownloadGetsRequestedConnections() throws {
        let world = try LoopWorld()
        let ticket = try #require(try downloads(world, 1).first)
        world.engine.emit(ticket, .connectionsWanted(8))
        world.turn()
        #expect(grants(world) == [8])
        world.engine.emit(ticket, .connectionsWanted(40))
        world.turn()
        #expect(grants(world) == [8, 16], "the default limit is 16 connections per host")
        world.engine.emit(ticket, .connectionsWanted(1))
        world.turn()
        #expect(grants(world) == [8, 16, 1] && !world.loop.state.flows.traffic.isSpread)
    }

    @Test func unusualConnectionCountIsGranted() throws {
        let world = try LoopWorld()
        let ticket = try #require(try downloads(world, 1, segments: 24).first)
        world.engine.emit(ticket, .connectionsWanted(24))
        world.turn()
        #expect(grants(world) == [24])
    }

    @Test func theLimitOfAHostCountsConnections() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 9, perHost: 4)))
        let tickets = try downloads(world, 2)
        world.engine.emit(tickets[0], .connectionsWanted(8))
        world.turn()
        #expect(grants(world) == [3], "one is the other transfer's")
        world.engine.emit(tickets[1], .connectionsWanted(8))
        world.turn()
        #expect(world.engine.connections.suffix(2).map(\.most) == [2, 2])
        // A transfer that starts needs one, and gets it at once.
        _ = try world.accept(LoopWorld.download())
        #expect(world.engine.runningJobs.count == 3)
        #expect(world.engine.connections.last == .init(ticket: tickets[1], most: 1))
    }

    @Test func endedDownloadReleasesConnections() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 9, perHost: 4)))
        let tickets = try downloads(world, 2)
        for ticket in tickets { world.engine.emit(ticket, .connectionsWanted(4)) }
        world.turn()
        #expect(grants(world) == [2, 2])
        world.engine.emit(
            tickets[0],
            .exchangeEnded(
                ExchangeOutcome(
                    ending: .responded, head: ResponseHead(status: 404, headers: [], effectiveURL: ""),
                    disposition: .refused(.status))))
        world.turn()
        #expect(world.engine.connections.last == .init(ticket: tickets[1], most: 4))
    }
}
