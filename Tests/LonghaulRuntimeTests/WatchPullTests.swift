import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Watchers that request their updates when they have room for them.
@Suite struct WatchPullTests {
    private let world: LoopWorld

    init() throws {
        world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 2, perHost: 2)))
    }

    private func submit(_ count: Int, group: String = "") throws -> [TransferID] {
        let specs = (0..<count).map { number in
            LoopWorld.request("http://a.test/\(number)") { $0.options.group = group }
        }
        guard case .submitted(let answers)? = world.send(.submit(specs)) else { return [] }
        return answers.compactMap { if case .accepted(let id) = $0 { id } else { nil } }
    }

    /// One watcher with the updates that it received.
    private final class Puller: Sendable {
        let token: WatchToken
        let signals = Kept<Bool>()
        let updates = Kept<WatchUpdate>()
        let empties = Kept<Bool>()
        let asked = Kept<Bool>()

        init(_ number: UInt64) { token = WatchToken(number: number) }

        func begin(_ selection: TransferSelection, _ detail: WatchDetail = WatchDetail()) -> LoopInput {
            .watchByPulls(token, selection, detail) { [signals] in signals.keep($0) }
        }

        var pull: LoopInput {
            asked.keep(true)
            return .pull(token) { [updates, empties] update in
                if let update { updates.keep(update) } else { empties.keep(true) }
            }
        }
    }

    /// Requests updates as long as there are any.
    private func drain(_ puller: Puller) {
        while puller.signals.all.count > puller.asked.all.count { world.turn([puller.pull]) }
    }

    @Test func regroupedTransferLeavesWatch() throws {
        let ids = try submit(2, group: "a")
        let (former, latter) = (Puller(1), Puller(2))
        world.turn([former.begin(.group("a")), latter.begin(.group("b"))])
        drain(former)
        drain(latter)
        var adjustment = TransferAdjustment()
        adjustment.group = "b"
        _ = world.send(.adjust(adjustment, .ids([ids[1]])))
        world.pass(.seconds(1), steps: 4)
        drain(former)
        drain(latter)
        #expect(former.updates.all.last?.removed == [ids[1]])
        #expect(latter.updates.all.last?.changed.map(\.id) == [ids[1]])
        // It counts toward the limit of its group at once, and after a restart.
        #expect(try world.loop.state.store.ids(.group("b"), ended: false) == [ids[1]])
        adjustment.group = "a"
        _ = world.send(.adjust(adjustment, .ids([ids[1]])))
        world.pass(.seconds(1), steps: 4)
        drain(former)
        drain(latter)
        #expect(former.updates.all.last?.changed.contains { $0.id == ids[1] } == true)
        #expect(latter.updates.all.last?.removed == [ids[1]])
    }

    @Test func aListComesInPortionsAndWhatIsLiveComesFirst() throws {
        let ids = try submit(600)
        world.control(.cancel, ids[300])
        world.control(.cancel, ids[301])
        world.turn()
        let puller = Puller(1)
        world.turn([puller.begin(.all)])
        #expect(puller.signals.all == [false] && puller.updates.all.isEmpty, "no update is prepared before a pull")
        drain(puller)
        let updates = puller.updates.all
        #expect(updates.allSatisfy { $0.changed.count <= 256 } && updates.count == 3)
        #expect(updates.map(\.completesList) == [false, false, true])
        #expect(Set(updates.flatMap(\.changed).map(\.id)) == Set(ids))
        #expect(updates.flatMap(\.changed).suffix(2).map(\.id) == Array(ids[300...301]))
        #expect(puller.empties.all.isEmpty)
    }

    @Test func watchCanOmitEndedTransfers() throws {
        let ids = try submit(600)
        world.control(.cancel, ids[300])
        world.turn()
        let puller = Puller(1)
        world.turn([puller.begin(.all, WatchDetail(omitsEnded: true))])
        drain(puller)
        let updates = puller.updates.all
        #expect(updates.map(\.completesList) == [false, false, true] && updates.first?.beginsList == true)
        #expect(Set(updates.flatMap(\.changed).map(\.id)) == Set(ids).subtracting([ids[300]]))
    }

    @Test func pullWatcherGetsOneSignalThenPagedChanges() throws {
        let ids = try submit(1_200)
        let puller = Puller(1)
        world.turn([puller.begin(.all, WatchDetail(isBrief: true))])
        drain(puller)
        let before = (signals: puller.signals.all.count, updates: puller.updates.all.count)
        for _ in 0..<3 {
            _ = world.send(.control(.pause, .all))
            _ = world.send(.control(.resume, .all))
            world.pass(.milliseconds(300), steps: 3)
        }
        _ = world.send(.control(.cancel, .all))
        world.pass(.milliseconds(300), steps: 3)
        #expect(puller.signals.all.count == before.signals + 1, "one signal announces all pending changes")
        drain(puller)
        let news = puller.updates.all.dropFirst(before.updates)
        #expect(news.map(\.changed.count) == [1_000, 200])
        #expect(news.flatMap(\.changed).allSatisfy { $0.state == .cancelled })
        #expect(Set(news.flatMap(\.changed).map(\.id)) == Set(ids))
    }

    @Test func rereadAndRemovedTransfersAreReported() throws {
        let ids = try submit(3)
        let puller = Puller(1)
        world.turn([puller.begin(.all, WatchDetail(isBrief: true))])
        drain(puller)
        let before = puller.updates.all.count
        _ = world.send(.control(.cancel, .all))
        // Only the log has it, and the rest is read from the disk.
        world.loop.state.audience.watchers.keptNews = 0
        world.pass(.seconds(2), steps: 5)
        world.control(.remove, ids[1])
        world.pass(.seconds(2), steps: 5)
        drain(puller)
        let news = try #require(puller.updates.all.last)
        #expect(puller.updates.all.count == before + 1)
        #expect(news.removed == [ids[1]] && Set(news.changed.map(\.id)) == [ids[0], ids[2]])
    }

    @Test func theLastEndIsSignalledAtOnceToWhoNamedThem() throws {
        let ids = try submit(2)
        let (named, all) = (Puller(1), Puller(2))
        world.turn([named.begin(.ids(ids)), all.begin(.all, WatchDetail(isBrief: true))])
        drain(named)
        drain(all)
        world.pass(.milliseconds(300), steps: 3)
        drain(named)
        drain(all)
        let (before, allBefore) = (named.signals.all.count, all.signals.all.count)
        for job in world.engine.runningJobs { world.engine.emit(job.ticket, .responded(200)) }
        world.turn()
        #expect(named.signals.all.count == before + 1 && all.signals.all.count == allBefore)
        world.turn([named.pull])
        #expect(named.updates.all.last?.changed.map(\.state) == [.succeeded, .succeeded])
    }

    @Test func figuresOfAMomentBeforeDoNotComeAfterAnEnd() throws {
        let ids = try submit(300)
        let puller = Puller(1)
        world.turn([puller.begin(.all)])
        drain(puller)
        // Running transfers are polled; updates that the watcher has are not requested.
        world.pass(.milliseconds(150))
        world.engine.emit(try #require(world.loop.state.turns.live[ids[0]]?.ticket), .responded(200))
        world.turn()
        // So many changes at once that the end comes in one portion and figures in the next.
        _ = world.send(.control(.pause, .ids(Array(ids[2...]))))
        drain(puller)
        let told = puller.updates.all.flatMap(\.changed).filter { $0.id == ids[0] }
        #expect(told.last?.state == .succeeded, "\(told.map(\.state))")
        #expect(puller.updates.all.suffix(2).map(\.changed.count) == [256, 44])
    }

    @Test func watchersOfTheSameShareOneCopy() throws {
        _ = try submit(50)
        let pullers = [Puller(1), Puller(2), Puller(3)]
        world.turn(pullers.map { $0.begin(.all, WatchDetail(isBrief: true)) })
        world.turn(pullers.map(\.pull))
        _ = world.send(.control(.pause, .all))
        world.pass(.milliseconds(300), steps: 3)
        world.turn(pullers.map(\.pull))
        for updates in [pullers.map { $0.updates.all.first }, pullers.map { $0.updates.all.last }] {
            let places = updates.map { $0?.changed.withUnsafeBufferPointer { $0.baseAddress } }
            #expect(places[0] != nil && Set(places).count == 1)
        }
    }

    @Test func laggingWatchRestarts() throws {
        let ids = try submit(40)
        world.loop.state.audience.watchers.keptChanges = 20
        let (slow, quick) = (Puller(1), Puller(2))
        world.turn([slow.begin(.all, WatchDetail(isBrief: true)), quick.begin(.all, WatchDetail(isBrief: true))])
        drain(slow)
        drain(quick)
        for id in ids {
            world.control(.cancel, id)
            world.pass(.milliseconds(150))
            drain(quick)
        }
        #expect(slow.signals.all.last == true && !quick.signals.all.contains(true))
        world.turn([slow.pull])
        #expect(slow.empties.all == [true], "the watch is over")
        #expect(Set(quick.updates.all.flatMap(\.changed).filter { $0.state == .cancelled }.map(\.id)) == Set(ids))
    }

    @Test func everyQuestionIsAnsweredWhileNothingCanBeWritten() throws {
        let ids = try submit(2)
        let puller = Puller(1)
        world.loop.state.store.writesLeft = 0
        world.turn([puller.begin(.ids(ids)), puller.pull, .command(.control(.pause, .all)) { _ in }, puller.pull])
        #expect(puller.updates.all.count + puller.empties.all.count == 2, "the service waits for each")
        #expect(Set(puller.updates.all.flatMap(\.changed).map(\.id)) == Set(ids))
        world.loop.state.store.writesLeft = nil
    }

    @Test func endedWatchStillAnswersPull() throws {
        let ids = try submit(2)
        let puller = Puller(1)
        world.turn([puller.begin(.ids(ids))])
        world.turn([.unwatch(puller.token), puller.pull])
        #expect(puller.empties.all == [true], "a pull from an ended watch gets a reply")
    }
}
