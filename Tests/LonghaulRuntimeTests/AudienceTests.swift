import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The watchers of a session, over transfers that exist only as updates of the test.
@Suite struct AudienceTests {
    private static let start = WallTime(seconds: 1_800_000_000)
    private var audience = Audience()
    private var now = Self.start
    private var records: [TransferRecord] = (1...3).map { number in
        var record = TransferRecord(
            id: TransferID(high: 1, low: UInt64(number)), spec: LoopWorld.request(), state: .running(.sending),
            createdAt: Self.start)
        record.sequence = Int64(number)
        return record
    }

    private var view: WatchView {
        let records = records
        return WatchView(
            snapshot: { TransferSnapshot($0) }, running: { [] }, record: { id in records.first { $0.id == id } },
            isQueued: { _ in false },
            page: { query in
                let rest = records.filter { $0.sequence > query.afterSequence && $0.state.isEnded == query.ended }
                return (Array(rest.prefix(query.limit)), rest.count > query.limit)
            })
    }

    private mutating func update() {
        now = now + .milliseconds(150)
        audience.deliverUpdates(at: now, view)
    }

    private mutating func end(_ index: Int) {
        records[index].state = .succeeded
        audience.watchers.record(records[index].id, records[index], group: nil, wasLive: true)
    }

    private static func watch(_ updates: Kept<WatchUpdate>) -> WatchObserver { .each { updates.keep($0) } }

    @Test mutating func watcherGetsListThenChanges() throws {
        let updates = Kept<WatchUpdate>()
        try audience.watch(WatchToken(number: 1), .all, WatchDetail(), Self.watch(updates), view)
        update()
        #expect(updates.all.map(\.changed.count) == [3] && updates.all[0].completesList)
        end(1)
        update()
        #expect(updates.all.last?.changed.map(\.state) == [.succeeded])
        update()
        #expect(updates.all.count == 2, "no change is reported twice")
    }

    @Test mutating func listRemainderStartsWithLiveTransfers() throws {
        end(0)
        var portions: [WatchUpdate] = []
        var listing: WatchListing? = .live(after: 0)
        while let next = listing {
            let (update, rest) = try next.page(of: .all, WatchDetail(), limit: 2, view)
            portions.append(update)
            listing = rest
        }
        #expect(portions.map { $0.changed.map(\.sequence) } == [[2, 3], [1]])
        #expect(portions.map(\.beginsList) == [true, false] && portions.map(\.completesList) == [false, true])
    }

    @Test mutating func aWatcherThatNamedTransfersHearsAtOnceThatAllHaveEnded() throws {
        let updates = Kept<WatchUpdate>()
        let ids = [records[0].id, records[0].id]
        try audience.watch(WatchToken(number: 1), .ids(ids), WatchDetail(), Self.watch(updates), view)
        update()
        end(0)
        audience.deliverUpdates(at: now, view)
        #expect(updates.all.last?.changed.map(\.state) == [.succeeded])
    }

    @Test mutating func everyPullIsAnsweredOnceWithoutWatchers() {
        let answers = Kept<Bool>()
        let pull = LoopInput.pull(WatchToken(number: 1)) { answers.keep($0 == nil) }
        #expect(audience.takePulls(from: [pull, .networkReturned, pull]).count == 1 && audience.isAsking)
        update()
        #expect(answers.all == [true, true] && !audience.isAsking)
    }

    @Test mutating func everybodyCanBeBroughtToAnotherLoop() throws {
        let (watcher, app, settled) = (WatchToken(number: 1), WatchToken(number: 2), Kept<Bool>())
        let runner = TaskRunner(identifiers: ["noon"])
        try audience.watch(watcher, .all, WatchDetail(), Self.watch(Kept()), view)
        audience.attach(app) { _ in }
        audience.addRunner(app) { _ in }
        audience.waitUntilSettled { settled.keep(true) }
        audience.reportSettled { true }
        let kinds = audience.inputs([(app, runner)]).map { input in
            switch input {
            case .watch(let token, _, _, _): "watch \(token.number)"
            case .attach(let token, _): "attach \(token.number)"
            case .addRunner(let token, let other, _): other == runner ? "run \(token.number)" : "?"
            case .whenSettled: "settle"
            default: "?"
            }
        }
        #expect(kinds == ["watch 1", "attach 2", "run 2", "settle"])
        audience.remove(watcher)
        audience.remove(app)
        audience.reportSettled()
        #expect(audience.inputs([(app, runner)]).isEmpty && settled.all == [true])
    }
}
