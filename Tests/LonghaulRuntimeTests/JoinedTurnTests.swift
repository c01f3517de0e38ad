import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Turns in which the engine reports more events before the commit.
@Suite struct JoinedTurnTests {
    private final class Commits: Sendable {
        private let count = Atomic(0)
        private let limit = Atomic(Int.max)

        var done: Int { count.load(ordering: .relaxed) }

        func dieBeforeTheNext() { limit.store(done, ordering: .relaxed) }

        func survives(_ point: LoopPoint) -> Bool {
            guard point == .beforeCommit else { return true }
            return count.add(1, ordering: .relaxed).newValue <= limit.load(ordering: .relaxed)
        }
    }

    /// Submits more requests to one host than may run at once, with an engine that answers each at once.
    private func submit(_ world: LoopWorld) throws -> [TransferID] {
        world.engine.answerJobs { _ in .responded(200) }
        let specs = (0..<40).map { LoopWorld.request("http://a.test/\($0)") }
        guard case .submitted(let answers)? = world.send(.submit(specs)) else { return [] }
        return answers.compactMap { if case .accepted(let id) = $0 { id } else { nil } }
    }

    @Test func earlyEngineEventsShareCommit() throws {
        let commits = Commits()
        let world = try LoopWorld(survives: commits.survives)
        let ids = try submit(world)
        let before = commits.done
        world.joinedTurn()
        #expect(commits.done == before + 1)
        #expect(try ids.allSatisfy { try world.state($0) == .succeeded } && ids.count == 40)
        #expect(world.engine.jobs.count == 40)
    }

    @Test func aCrashBeforeThatCommitLosesNoTransfer() throws {
        let directory = try TemporaryDirectory()
        let commits = Commits()
        var ids: [TransferID] = []
        do {
            let world = try LoopWorld(in: directory, survives: commits.survives)
            ids = try submit(world)
            commits.dieBeforeTheNext()
            world.joinedTurn()
            #expect(world.loop.isDead)
        }
        let world = try LoopWorld(in: directory)
        world.engine.answerJobs { _ in .responded(200) }
        for _ in 0..<3 {
            world.joinedTurn()
            // Started by the opening, before there were answers.
            for job in world.engine.runningJobs { world.engine.emit(job.ticket, .responded(200)) }
        }
        world.joinedTurn()
        let states = try ids.map(world.state)
        #expect(states.allSatisfy { $0 == .succeeded } && ids.count == 40, "\(states)")
    }

    @Test func aDiskThatTakesNothingOfItLosesNoEvent() throws {
        let world = try LoopWorld()
        let ids = try submit(world)
        for room in stride(from: 0, to: 60, by: 7) {
            world.loop.state.store.writesLeft = room
            world.joinedTurn()
            world.loop.state.store.writesLeft = nil
            world.pass(.seconds(3))
        }
        world.joinedTurn()
        #expect(try ids.allSatisfy { try world.state($0) == .succeeded })
        // No started exchange was started a second time.
        #expect(world.engine.jobs.count == 40)
    }

    @Test(arguments: [(16, true), (4, false)])
    func aTurnWaitsForMoreWhileManyAreUnderWay(_ atOnce: Int, _ waits: Bool) throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: atOnce, perHost: atOnce)))
        _ = world.send(.submit((0..<40).map { LoopWorld.request("http://a.test/\($0)") }))
        #expect(world.engine.runningJobs.count == atOnce)
        world.engine.emit(try #require(world.engine.runningJobs.first).ticket, .responded(200))
        #expect(world.looksForMore() == [waits])
    }

    @Test func turnWithPendingCommandDoesNotWaitForEvents() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 16, perHost: 16)))
        _ = world.send(.submit((0..<40).map { LoopWorld.request("http://a.test/\($0)") }))
        world.engine.emit(try #require(world.engine.runningJobs.first).ticket, .responded(200))
        #expect(world.looksForMore([.command(.limits, reply: { _ in })]) == [false])
    }
}
