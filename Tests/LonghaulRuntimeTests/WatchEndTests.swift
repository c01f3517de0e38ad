import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// When watchers of named transfers learn that all of them have ended.
@Suite struct WatchEndTests {
    private let world: LoopWorld
    private let ids: [TransferID]

    init() throws {
        world = try LoopWorld()
        ids = try (0..<2).map { [world] in try world.accept(LoopWorld.request("http://a.test/\($0)")) }
    }

    /// Starts a watch and returns its updates, without the first one.
    private func watch(
        _ number: UInt64, _ selection: TransferSelection, _ detail: WatchDetail = WatchDetail()
    ) -> Kept<WatchUpdate> {
        let updates = Kept<WatchUpdate>()
        world.turn([.watch(WatchToken(number: number), selection, detail) { if !$0.completesList { updates.keep($0) } }]
        )
        return updates
    }

    private func succeed(_ id: TransferID) throws {
        let ticket = try #require(world.loop.state.turns.live[id]?.ticket)
        world.engine.emit(ticket, .responded(200))
        world.turn()
    }

    @Test func watchOfIDsReportsLastEndImmediately() throws {
        // Named twice, it ends once.
        let (named, all) = (watch(1, .ids(ids + ids)), watch(2, .all))
        world.pass(.milliseconds(150))
        let (before, allBefore) = (named.all.count, all.all.count)
        try succeed(ids[0])
        #expect(named.all.count == before, "the other transfer is still running")
        try succeed(ids[1])
        #expect(named.all.count == before + 1)
        #expect(Set(named.all.last?.changed.map(\.id) ?? []) == Set(ids))
        #expect(named.all.last?.changed.allSatisfy { $0.state == .succeeded } ?? false)
        #expect(all.all.count == allBefore, "other watches get ten updates a second")
        world.pass(.milliseconds(150))
        #expect(named.all.count == before + 1, "no end is reported twice")
        #expect(all.all.count == allBefore + 1)
    }

    @Test func watchOfOneTransferReportsOnlyItsEnd() throws {
        let (first, second) = (watch(1, .ids([ids[0]])), watch(2, .ids([ids[1]])))
        world.pass(.milliseconds(150))
        let (before, secondBefore) = (first.all.count, second.all.count)
        try succeed(ids[0])
        #expect(first.all.count == before + 1 && second.all.count == secondBefore)
        world.turn([.unwatch(WatchToken(number: 2))])
        try succeed(ids[1])
        #expect(second.all.count == secondBefore)
    }

    @Test func retriedTransferIsAwaitedAgain() throws {
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

    @Test func briefWatchReportsEndsWithoutProgress() throws {
        let brief = watch(1, .ids(ids), WatchDetail(isBrief: true))
        world.pass(.seconds(1), steps: 5)
        #expect(brief.all.isEmpty)
        let next = try #require(world.loop.nextAlarm())
        #expect(next > world.time.now + .seconds(1), "running transfers cause no updates")
        try succeed(ids[0])
        world.pass(.milliseconds(150))
        let success = WatchUpdate.Success(id: ids[0])
        #expect(brief.all == [WatchUpdate(changed: [], removed: [], succeeded: [success])])
        world.control(.pause, ids[1])
        world.turn()
        world.pass(.milliseconds(150))
        #expect(brief.all.last?.changed.map(\.state) == [.paused])
        world.control(.cancel, ids[1])
        world.turn()
        #expect(brief.all.last?.changed.map(\.state) == [.cancelled])
    }

    @Test func bothDetailsAreServedTogether() throws {
        let (brief, full) = (watch(1, .ids(ids), WatchDetail(isBrief: true)), watch(2, .all))
        try succeed(ids[0])
        try succeed(ids[1])
        #expect(Set(brief.all.flatMap(\.succeeded).map(\.id)) == Set(ids))
        world.pass(.milliseconds(150))
        #expect(brief.all.allSatisfy { $0.changed.isEmpty })
        #expect(full.all.last?.changed.map(\.state) == [.succeeded, .succeeded])
        #expect(full.all.allSatisfy { $0.succeeded.isEmpty })
        let late = Kept<WatchUpdate>()
        world.turn([.watch(WatchToken(number: 3), .ids(ids), WatchDetail(isBrief: true)) { late.keep($0) }])
        #expect(late.all.map { $0.succeeded.map(\.id) } == [ids])
    }

    @Test func unstoredEndIsNotReported() throws {
        let named = watch(1, .ids(ids))
        try succeed(ids[0])
        let before = named.all.count
        world.loop.state.store.writesLeft = 0
        try succeed(ids[1])
        #expect(world.loop.health.refusal != nil && named.all.count == before)
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(named.all.last?.changed.contains { $0.id == ids[1] && $0.state == .succeeded } ?? false)
    }
}
