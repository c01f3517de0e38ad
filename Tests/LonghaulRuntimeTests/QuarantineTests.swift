import LonghaulCore
import LonghaulStore
import LonghaulSystem
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Transfers that crashed the process, according to the notes of its traps at the next opening.
@Suite struct QuarantineTests {
    private let temporary: TemporaryDirectory
    private let layout: SessionLayout
    private let culprit: TransferID
    private let other: TransferID

    /// A session with two running transfers, whose owner has died.
    init() throws {
        temporary = try TemporaryDirectory()
        layout = SessionLayout(directory: temporary.path + "/session")
        let world = try LoopWorld(in: temporary)
        world.loop.turn([.attach(WatchToken(number: 1)) { _ in }])
        culprit = try world.accept(LoopWorld.request { $0.options.key = "culprit" })
        other = try world.accept(LoopWorld.request("http://b.test/"))
        world.pass(.seconds(2))
    }

    private func recordTraps(_ works: TrapEntry.Work...) throws {
        try TrapNotes.keep(works.map { TrapEntry(culprit, $0) }, in: layout.traps)
    }

    private func failure(_ world: LoopWorld) throws -> TransferFailure? {
        if case .failed(let failure) = try world.state(culprit) { failure } else { nil }
    }

    @Test func firstTrapIsForgiven() throws {
        try recordTraps(.handling)
        let world = try LoopWorld(in: temporary)
        #expect(try world.state(culprit) == .running(.sending))
        #expect(TrapNotes.entries(in: layout.traps).count == 1)
    }

    @Test(arguments: [TrapEntry.Work.handling, .reading])
    func secondTrapQuarantinesTransferAndOthersContinue(_ work: TrapEntry.Work) throws {
        try recordTraps(.handling, work)
        do {
            let world = try LoopWorld(in: temporary)
            #expect(try failure(world)?.code == .internalFault)
            #expect(try world.state(other) == .running(.sending) && world.engine.runningJobs.count == 1)
            #expect(world.loop.state.totals.failed == 1 && world.loop.state.totals.running == 1)
            #expect(try world.loop.state.store.history(of: culprit).last?.event == "failed")
            let events = try world.loop.state.store.events(after: 0, limit: 10)
            #expect(events.map(\.transfer) == [culprit] && events.map(\.kind) == [.transferFinished])
            #expect(try world.loop.state.store.record(key: "culprit")?.id == culprit)
        }
        #expect(TrapNotes.entries(in: layout.traps).isEmpty)
        let world = try LoopWorld(in: temporary)
        #expect(try failure(world)?.code == .internalFault)
    }

    @Test func retryResetsTrapCount() throws {
        try recordTraps(.handling, .handling)
        do {
            let world = try LoopWorld(in: temporary)
            world.control(.retry, culprit)
            #expect(try world.state(culprit) == .running(.sending))
            world.pass(.seconds(2))
        }
        try recordTraps(.handling)
        let world = try LoopWorld(in: temporary)
        #expect(try world.state(culprit) == .running(.sending))
    }

    @Test func aRecordThatCannotBeReadIsKeptUntilItsTransferIsRemoved() throws {
        let before = try #require(try Store(path: layout.store).unreadable(culprit))
        try recordTraps(.reading, .reading)
        do {
            let world = try LoopWorld(in: temporary)
            #expect(try failure(world)?.message.contains(layout.unreadable(culprit)) ?? false)
            let kept = try AtomicFile(layout.unreadable(culprit)).read() ?? []
            #expect(kept.count > before.blobs[1].count + before.blobs[2].count)
            world.control(.remove, culprit)
            world.pass(.seconds(2))
        }
        _ = try LoopWorld(in: temporary)
        #expect(Files.isMissing(layout.unreadable(culprit)))
    }

    @Test func uncommittedQuarantineIsRepeated() throws {
        try recordTraps(.handling, .handling)
        _ = try LoopWorld(in: temporary, survives: { $0 != .beforeCommit })
        #expect(TrapNotes.entries(in: layout.traps).count == 2)
        #expect(try Store(path: layout.store).record(culprit)?.state == .running(.sending))
        let world = try LoopWorld(in: temporary)
        #expect(try failure(world)?.code == .internalFault)
    }

    @Test func notesOfTransfersThatAreGoneAreDropped() throws {
        let gone = TransferID(high: 1, low: 1)
        try TrapNotes.keep([TrapEntry(gone, .handling), TrapEntry(culprit, .handling)], in: layout.traps)
        _ = try LoopWorld(in: temporary)
        #expect(TrapNotes.entries(in: layout.traps) == [TrapEntry(culprit, .handling)])
    }
}
