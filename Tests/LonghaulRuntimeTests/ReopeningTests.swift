import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Waiting transfers keep their reasons when the session is reopened.
@Suite struct ReopeningTests {
    private let temporary: TemporaryDirectory
    private let time = ManualTime()

    init() throws {
        temporary = try TemporaryDirectory()
    }

    private func inOneLife<Result>(_ body: (LoopWorld) throws -> Result) throws -> Result {
        // Each life draws the same random numbers; another time makes other identifiers of them.
        time.advance(by: .milliseconds(1))
        let world = try LoopWorld(in: temporary, at: time)
        return try body(world)
    }

    @Test func aRetryComesAtItsDate() throws {
        let id = try inOneLife { world in
            let id = try world.accept(LoopWorld.request())
            try world.answer(.broke(.connectionRefused))
            return id
        }
        try inOneLife { world in
            world.turn()
            #expect(world.engine.jobs.isEmpty)
            world.pass(.seconds(30), steps: 3)
            let state = try world.state(id)
            #expect(state == .running(.sending))
        }
    }

    @Test func runningTransfersRegainSlots() throws {
        let urls = (0..<4).map { "http://a.test/\($0)" }
        try inOneLife { world in
            _ = world.send(.setLimits(SessionLimits(total: 2, perHost: 2)))
            for url in urls { _ = try world.accept(LoopWorld.request(url)) }
            // Recorded as running, not only started.
            world.pass(.seconds(2))
        }
        try inOneLife { world in
            world.pass(.seconds(2), steps: 2)
            #expect(world.runningURLs == Array(urls[..<2]))
            #expect(world.loop.state.turns.queue.runningCount == 2)
        }
    }

    @Test func retryAfterIsHonoredAcrossReopening() throws {
        try inOneLife { world in
            _ = try world.accept(LoopWorld.request())
            try world.answer(.responded(503, [HeaderField("Retry-After", "120")]))
        }
        try inOneLife { world in
            _ = try world.accept(LoopWorld.request())
            world.pass(.seconds(119), steps: 4)
            #expect(world.engine.jobs.isEmpty)
            world.pass(.seconds(10), steps: 4)
            #expect(world.engine.runningJobs.count == 2)
        }
    }

    @Test func thePausedAndTheWaitingKeepTheirTimeLimit() throws {
        let ids = try inOneLife { world in
            let ids = try (0..<2).map { _ in
                try world.accept(LoopWorld.request { $0.options.timeoutIntervalForResource = .seconds(100) })
            }
            world.control(.pause, ids[0])
            world.turn()
            world.engine.emit(try #require(world.engine.runningJobs.first).ticket, .broke(.offline))
            world.turn()
            return ids
        }
        try inOneLife { world in
            world.pass(.seconds(101))
            for id in ids {
                guard case .failed(let failure) = try world.state(id) else { return #expect(Bool(false)) }
                #expect(failure.code == .resourceTimeExceeded)
            }
        }
    }
}
