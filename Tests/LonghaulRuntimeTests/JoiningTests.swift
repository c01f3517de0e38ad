import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Submissions with the key of an existing transfer, which they join.
@Suite struct JoiningTests {
    private func again(_ world: LoopWorld, _ change: (inout TransferSpec) -> Void = { _ in }) throws
        -> SubmissionAnswer
    {
        world.time.advance(by: .seconds(1))
        return try world.submit(
            LoopWorld.download { spec in
                spec.options.joinsEqualBefore = world.time.now
                change(&spec)
            })
    }

    @Test func theOneThatIsUnderWayIsTheAnswer() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.download())
        #expect(try again(world) == .existing(first))
        #expect(try again(world) { $0.options.priority = 3 } == .existing(first))
        #expect(world.runningURLs == ["http://a.test/a"])
        #expect(try world.record(first).spec.options.joinsEqualBefore == nil)
    }

    @Test func differentRequestCreatesNewTransfer() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.download())
        let changes: [(inout TransferSpec) -> Void] = [
            { $0.url = "http://a.test/a?b" }, { $0.headers = [HeaderField("Accept", "c")] }, { $0.options.key = "k" },
            { $0.options.joinsEqualBefore = nil },
        ]
        for change in changes {
            guard case .accepted(let id) = try again(world, change) else { return #expect(Bool(false)) }
            #expect(id != first)
        }
    }

    @Test func endedTransferIsNotJoined() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.download())
        world.control(.cancel, first)
        guard case .accepted(let second) = try again(world) else { return #expect(Bool(false)) }
        #expect(second != first)
    }

    @Test func pausedTransferResumesWhenJoined() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        _ = try world.accept(LoopWorld.request())
        let first = try world.accept(LoopWorld.download())
        world.control(.pause, first)
        #expect(try again(world) == .existing(first))
        guard case .waiting = try world.state(first) else { return #expect(Bool(false)) }
    }

    @Test func joiningRetriesImmediately() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.download())
        let lost = EngineEvent.exchangeEnded(
            ExchangeOutcome(ending: .broke(TransferFailure(.connectionRefused, "It refuses.", origin: .curl(7)))))
        for _ in 0..<4 {
            try world.answer(lost)
            guard case .waiting(let waiting) = try world.state(first) else { return #expect(Bool(false)) }
            #expect(waiting.reason == .retry)
            #expect(try again(world) == .existing(first))
        }
        #expect(world.runningURLs == ["http://a.test/a"])
    }

    @Test func onlyGivenConditionsReplaceEarlierOnes() throws {
        let world = try LoopWorld()
        let night = TimeWindow(from: 1_320, to: 360)
        let day = TimeWindow(from: 0, to: 1_439)
        let first = try world.accept(LoopWorld.download { $0.options.conditions.hours = night })
        #expect(try again(world) == .existing(first))
        #expect(try world.record(first).spec.options.conditions.hours == night)
        #expect(try again(world) { $0.options.conditions.hours = day } == .existing(first))
        #expect(try world.record(first).spec.options.conditions.hours == day)
    }

    @Test func replacedURLIsMatched() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.download())
        #expect(try again(world) == .existing(first))
        _ = world.send(.replaceURL(first, url: "http://a.test/c", headers: nil))
        #expect(try again(world) { $0.url = "http://a.test/c" } == .existing(first))
    }

    @Test func recentTransfersAreMatched() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.download())
        guard case .accepted(let second) = try again(world, { $0.url = "http://a.test/b" }) else {
            return #expect(Bool(false))
        }
        #expect(try again(world) { $0.url = "http://a.test/b" } == .existing(second))
        #expect(try again(world) == .existing(first))
        world.turn([.releaseMemory(reply: {})])
        #expect(try again(world) == .existing(first))
    }

    @Test func theLinesOfOneListDoNotJoinEachOther() throws {
        let world = try LoopWorld()
        let line = LoopWorld.download { $0.options.joinsEqualBefore = world.time.now }
        guard case .submitted(let answers)? = world.send(.submit([line, line])) else { return #expect(Bool(false)) }
        #expect(answers.allSatisfy { if case .accepted = $0 { true } else { false } })
        world.time.advance(by: .seconds(1))
        let next = LoopWorld.download { $0.options.joinsEqualBefore = world.time.now }
        guard case .submitted(let joined)? = world.send(.submit([next, next])) else { return #expect(Bool(false)) }
        #expect(joined.allSatisfy { if case .existing = $0 { true } else { false } })
    }
}
