import LonghaulCore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The displayed figures of active transfers, without a session.
@Suite struct LiveFiguresTests {
    private static let id = TransferID(high: 1, low: 1)
    private static let ticket = Ticket(1)

    private let engine = ScriptedEngine()
    private let time = ManualTime()
    private var turns = TransferTurns(limits: SessionLimits(total: 1, perHost: 1))

    init() {
        var machine = TransferMachine(
            TransferRecord(
                id: Self.id, spec: LoopWorld.request(), state: .waiting(Waiting(.turn, since: time.now)),
                createdAt: time.now))
        _ = machine.handle(.turnGranted, at: Moment(now: time.now, random: 1, bootID: "boot"))
        var transfer = LiveTransfer(machine.record, host: "a.test")
        transfer.machine = machine
        transfer.beginStep(Self.ticket, at: time.now)
        turns.live[Self.id] = transfer
        engine.start(EngineJob(ticket: Self.ticket, work: .files(.discard([]))))
    }

    private var counters: Counters { Counters(engine: engine) { [time] in time.now } }

    private mutating func figures() throws -> TransferSnapshot {
        turns.snapshot(of: try #require(turns.live[Self.id]).record, counters)
    }

    @Test mutating func singleReadCoversWholeInterval() throws {
        time.advance(by: .seconds(2))
        engine.setProgress(ExchangeProgress(sent: 3_000, received: 1_000), of: Self.ticket)
        let shown = try figures()
        #expect(shown.rate == 2_000 && shown.bytesDone == 3_000)
        #expect(turns.running(counters).map(\.rate) == [2_000])
    }

    @Test mutating func stalledTransferHasNoRate() throws {
        time.advance(by: .seconds(6))
        engine.setProgress(ExchangeProgress(sent: 3_000, received: 0, quiet: .seconds(5)), of: Self.ticket)
        #expect(try figures().rate == 0)
    }

    @Test mutating func lastFiguresOutliveCounters() throws {
        time.advance(by: .seconds(1))
        engine.setProgress(ExchangeProgress(sent: 500, received: 0), of: Self.ticket)
        _ = try figures()
        engine.setProgress(nil, of: Self.ticket)
        #expect(try figures().bytesDone == 500)
    }

    @Test mutating func memoryKnowsMoreThanARecordThatWasRead() throws {
        let read = TransferRecord(
            id: Self.id, spec: LoopWorld.request(), state: .waiting(Waiting(.turn, since: time.now)),
            createdAt: time.now)
        #expect(turns.snapshot(of: read, counters).state == .running(.sending))
    }

    @Test mutating func waitingTransferReportsMissingSlots() {
        turns.live = [:]
        let waiting = TransferRecord(
            id: Self.id, spec: LoopWorld.request(), state: .waiting(Waiting(.turn, since: time.now)),
            createdAt: time.now)
        #expect(turns.snapshot(of: waiting, counters).turnLimit == nil)
        turns.slotsWantedAt = time.now
        #expect(turns.snapshot(of: waiting, counters).turnLimit == .total)
    }
}
