import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// When those who named transfers hear that all of these have ended.
@Suite struct WatchEndTests {
    private let world: LoopWorld
    private let ids: [TransferID]

    init() throws {
        world = try LoopWorld()
        ids = try (0..<2).map { [world] in try world.accept(LoopWorld.request("http://a.test/\($0)")) }
    }

    /// Begins a watch and gives what it hears, the first answer left out.
    private func watch(_ number: UInt64, _ selection: TransferSelection) -> Kept<WatchUpdate> {
        let updates = Kept<WatchUpdate>()
        world.turn([.watch(WatchToken(number: number), selection) { if !$0.completesList { updates.keep($0) } }])
        return updates
    }

    private func succeed(_ id: TransferID) throws {
        let ticket = try #require(world.loop.live[id]?.ticket)
        world.engine.emit(ticket, .responded(200))
        world.turn()
    }

    @Test func theLastEndIsToldAtOnceToWhoNamedThem() throws {
        // Named twice, it ends once.
        let (named, all) = (watch(1, .ids(ids + ids)), watch(2, .all))
        world.pass(.milliseconds(150))
        let (before, allBefore) = (named.all.count, all.all.count)
        try succeed(ids[0])
        #expect(named.all.count == before, "the other one goes on")
        try succeed(ids[1])
        #expect(named.all.count == before + 1)
        #expect(Set(named.all.last?.changed.map(\.id) ?? []) == Set(ids))
        #expect(named.all.last?.changed.allSatisfy { $0.state == .succeeded } ?? false)
        #expect(all.all.count == allBefore, "others are told ten times a second")
        world.pass(.milliseconds(150))
        #expect(named.all.count == before + 1, "nothing is told twice")
        #expect(all.all.count == allBefore + 1)
    }

    @Test func eachWatchOfOneHearsOfItsOwn() throws {
        let (first, second) = (watch(1, .ids([ids[0]])), watch(2, .ids([ids[1]])))
        world.pass(.milliseconds(150))
        let (before, secondBefore) = (first.all.count, second.all.count)
        try succeed(ids[0])
        #expect(first.all.count == before + 1 && second.all.count == secondBefore)
        world.turn([.unwatch(WatchToken(number: 2))])
        try succeed(ids[1])
        #expect(second.all.count == secondBefore)
    }

    @Test func whatIsTriedAgainIsWaitedForAgain() throws {
        let named = watch(1, .ids(ids))
        try succeed(ids[0])
        world.control(.cancel, ids[1])
        world.turn()
        let before = named.all.count
        world.control(.retry, ids[1])
        world.control(.remove, ids[0])
        #expect(named.all.count == before)
        try succeed(ids[1])
        #expect(named.all.count == before + 1 && named.all.last?.removed == [ids[0]])
    }

    @Test func anEndThatTheDiskDidNotTakeIsNotTold() throws {
        let named = watch(1, .ids(ids))
        try succeed(ids[0])
        let before = named.all.count
        world.loop.store.writesLeft = 0
        try succeed(ids[1])
        #expect(world.loop.storeTrouble != nil && named.all.count == before)
        world.loop.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(named.all.last?.changed.contains { $0.id == ids[1] && $0.state == .succeeded } ?? false)
    }
}
