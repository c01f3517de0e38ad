import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Transfers that start when another one has ended.
@Suite struct ChainTests {
    private static let success = EngineEvent.exchangeEnded(
        ExchangeOutcome(ending: .responded, head: .ok(200)))

    private func follower(_ world: LoopWorld, of id: TransferID, _ name: String, any: Bool = false) throws -> TransferID
    {
        try world.accept(
            LoopWorld.request("http://\(name).test/") { spec in
                spec.options.predecessor = id
                spec.options.followsFailure = any
            })
    }

    private func failure(_ world: LoopWorld, _ id: TransferID) throws -> TransferFailure? {
        if case .failed(let failure) = try world.state(id) { failure } else { nil }
    }

    private func waits(_ world: LoopWorld, _ id: TransferID) throws -> Bool {
        if case .waiting(let waiting) = try world.state(id) { waiting.reason == .predecessor } else { false }
    }

    @Test func successorBeginsAfterSuccess() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.request())
        let second = try follower(world, of: first, "b")
        let third = try follower(world, of: second, "c")
        #expect(world.runningURLs == ["http://a.test/"])
        #expect(try waits(world, second) && waits(world, third))
        world.control(.pause, second)
        world.control(.resume, second)
        #expect(try waits(world, second), "a pause does not skip the predecessor")
        guard case .controlled(let answer)? = world.control(.retry, second) else { return #expect(Bool(false)) }
        #expect(answer.refusals.count == 1)
        try world.answer(Self.success)
        #expect(world.runningURLs == ["http://b.test/"])
        #expect(try waits(world, third))
        try world.answer(Self.success)
        try world.answer(Self.success)
        #expect(try world.state(third) == .succeeded)
    }

    @Test func aFailureEndsTheWholeChainButNotWhatFollowsAnyEnd() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.request())
        var chain = [first]
        for number in 0..<1_000 { chain.append(try follower(world, of: chain[number], "b")) }
        let last = try follower(world, of: chain[1_000], "any", any: true)
        world.control(.pause, chain[5])
        world.control(.cancel, first)
        for id in chain.dropFirst() { #expect(try failure(world, id)?.code == .predecessorFailed) }
        #expect(try world.record(last).state == .running(.sending) || world.runningURLs == ["http://any.test/"])
        world.control(.retry, chain[1])
        #expect(try failure(world, chain[1]) == nil, "a manual retry overrides the failed predecessor")
    }

    @Test func endedPredecessorIsNotAwaited() throws {
        let world = try LoopWorld()
        let done = try world.accept(LoopWorld.request())
        try world.answer(Self.success)
        let second = try follower(world, of: done, "b")
        #expect(world.runningURLs == ["http://b.test/"])
        world.control(.cancel, second)
        #expect(throws: TransferFailure.self) { try follower(world, of: second, "c") }
        let unknown = LoopWorld.request { $0.options.predecessor = TransferID(high: 1, low: 2) }
        guard case .refused(let refusal) = try world.submit(unknown) else { return #expect(Bool(false)) }
        #expect(refusal.code == .unknownTransfer)
    }

    private func follow(_ world: LoopWorld, _ id: TransferID, _ other: TransferID?) throws -> TransferFailure? {
        var change = TransferAdjustment()
        change.predecessor = .init(other)
        change.group = "changed"
        guard case .controlled(let answer)? = world.send(.adjust(change, .ids([id]))) else { throw Unexpected() }
        return answer.refusals.first?.failure
    }

    @Test func predecessorIsSetReplacedAndRemoved() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.request())
        let second = try follower(world, of: first, "b")
        let third = try follower(world, of: first, "c")
        #expect(try follow(world, third, second) == nil && waits(world, third))
        #expect(try world.record(third).spec.options.predecessor == second)
        for (id, other) in [(second, third), (second, second)] {
            #expect(try follow(world, id, other)?.code == .invalidArgument, "a circle never ends")
            #expect(try world.record(id).spec.options.group == nil, "a refusal changes nothing")
        }
        #expect(try follow(world, third, TransferID(high: 1, low: 2))?.code == .unknownTransfer)
        #expect(try follow(world, third, nil) == nil && !waits(world, third))
        try world.answer(Self.success)
        try world.answer(Self.success)
        #expect(try follow(world, second, first) == nil || world.state(second).isEnded, "an ended one is not awaited")
    }

    @Test func predecessorThatFailedIsRefused() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.request())
        world.control(.cancel, first)
        let second = try world.accept(LoopWorld.request("http://b.test/"))
        world.control(.pause, second)
        #expect(try follow(world, second, first)?.code == .predecessorFailed)
        #expect(try world.record(second).spec.options.predecessor == nil)
    }

    @Test func acceptedSuccessorOutlivesPredecessor() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.request())
        let spec = LoopWorld.request("http://b.test/") { ($0.options.predecessor, $0.options.key) = (first, "k") }
        let second = try world.accept(spec)
        world.control(.cancel, first)
        #expect(try world.submit(spec) == .existing(second))
        world.control(.remove, first)
        #expect(try world.submit(spec) == .existing(second))
    }

    @Test func followerStartsAfterFailedTurnIsRepeated() throws {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.request())
        let second = try follower(world, of: first, "b")
        world.loop.state.store.writesLeft = 0
        try world.answer(Self.success)
        #expect(try waits(world, second))
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(10), steps: 5)
        #expect(world.runningURLs == ["http://b.test/"])
    }
}
