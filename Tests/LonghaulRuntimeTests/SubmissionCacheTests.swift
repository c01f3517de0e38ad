import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Transfers that stay in memory from their submission until they start.
@Suite struct SubmissionCacheTests {
    /// Submits one transfer that runs, and the given number of queued ones.
    private func submit(_ world: LoopWorld, _ count: Int) throws -> [TransferID] {
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let specs = (0...count).map { LoopWorld.request("http://a.test/\($0)") }
        guard case .submitted(let answers)? = world.send(.submit(specs)) else { return [] }
        return answers.dropFirst().compactMap { if case .accepted(let id) = $0 { id } else { nil } }
    }

    @Test func cachedTransfersMatchStore() throws {
        let world = try LoopWorld()
        // More than one statement covers.
        for id in try submit(world, 40) {
            #expect(try world.loop.state.turns.submissionCache[id] == world.loop.state.store.transfer(id))
        }
    }

    @Test func whateverChangesOneIsSeenAtItsTurn() throws {
        let world = try LoopWorld()
        let ids = try submit(world, 4)
        world.control(.pause, ids[0])
        _ = world.send(.adjust(TransferAdjustment(rateLimit: 5_000), .ids([ids[1]])))
        world.control(.cancel, ids[2])
        _ = world.send(.replaceURL(ids[3], url: "http://a.test/new", headers: nil))
        #expect(ids.allSatisfy { world.loop.state.turns.submissionCache[$0] == nil })
        for id in ids { #expect(try world.loop.state.store.record(id) == world.record(id)) }
        try world.answer(.responded(200))
        try world.answer(.responded(200))
        #expect(world.runningURLs == ["http://a.test/new"])
        #expect(try world.state(ids[0]) == .paused)
    }

    @Test func noneIsLeftOfASubmissionThatTheDiskDidNotTake() throws {
        let world = try LoopWorld()
        let first = try submit(world, 2)
        world.loop.state.store.writesLeft = 0
        _ = world.send(.submit([LoopWorld.request("http://a.test/lost")]))
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        try world.answer(.responded(200))
        try world.answer(.responded(200))
        #expect(world.runningURLs == ["http://a.test/2"] && first.count == 2)
    }

    @Test func theirMemoryCanBeGivenBack() throws {
        let world = try LoopWorld()
        let ids = try submit(world, 2)
        world.turn([.releaseMemory(reply: {})])
        #expect(ids.allSatisfy { world.loop.state.turns.submissionCache[$0] == nil })
        try world.answer(.responded(200))
        #expect(world.runningURLs == ["http://a.test/1"])
    }
}
