import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Deferred and immediate writes, and the cost of a turn.
@Suite struct LaggingTests {
    private static let written = EngineEvent.exchangeEnded(
        ExchangeOutcome(
            ending: .responded,
            head: ResponseHead(
                status: 200, headers: [HeaderField("Content-Length", "10")], effectiveURL: "http://a.test/a"),
            disposition: .written(length: 10, isComplete: true)))

    private static let held = EngineEvent.exchangeEnded(
        ExchangeOutcome(
            ending: .responded,
            head: ResponseHead(
                status: 200, headers: [HeaderField("Content-Length", "10")], effectiveURL: "http://a.test/a"),
            disposition: .held(length: 10)))

    private func totals(_ world: LoopWorld) throws -> SessionTotals {
        guard case .page(let page)? = world.send(.list(ListQuery())) else {
            throw TransferFailure(.internalFault, "no")
        }
        return page.totals
    }

    @Test func theBeginningOfAnAttemptReachesTheDiskAfterAMoment() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        #expect(try world.state(id) == .running(.sending))
        #expect(try totals(world).running == 1 && totals(world).waiting == 0)
        guard case .waiting? = try world.loop.state.store.record(id)?.state else {
            Issue.record("it did not lag"); return
        }
        world.pass(.seconds(2))
        #expect(try world.loop.state.store.record(id)?.state == .running(.sending))
        #expect(try totals(world).running == 1 && totals(world).waiting == 0)
        #expect(world.loop.nextAlarm() ?? world.time.now > world.time.now)
    }

    @Test func aShortTransferIsWrittenOnceAfterItsSubmission() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 1_000
        try world.answer(.responded(200))
        // The record, its two lines together, and the commit.
        #expect(world.loop.state.store.writesLeft == 997)
        #expect(try world.loop.state.store.record(id)?.state == .succeeded)
        #expect(try world.loop.state.store.history(of: id).map(\.event) == ["submitted", "started", "succeeded"])
    }

    @Test func aSmallDownloadIsWrittenOnceAfterItsSubmission() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.download())
        world.loop.state.store.writesLeft = 1_000
        try world.answer(Self.held)
        #expect(world.loop.state.store.writesLeft == 1_000)
        #expect(try world.state(id) == .running(.verifying))
        try world.answer(.placed(.success(PlacedFile(path: "/out/a", leavesPartialFile: true))))
        // The record, its two lines together, and the commit.
        #expect(world.loop.state.store.writesLeft == 997)
        #expect(try world.loop.state.store.record(id)?.state == .succeeded)
        #expect(try totals(world).running == 0)
    }

    @Test func onlyWhatWasSubmittedHereIsKnownToHaveNoOtherFile() throws {
        let temporary = try TemporaryDirectory()
        for isOwn in [true, false] {
            let world = try LoopWorld(in: temporary)
            // The second world takes over the first one's running transfers.
            if isOwn { _ = try world.accept(LoopWorld.download()) } else { world.turn() }
            try world.answer(Self.held)
            let plans = world.engine.runningJobs.compactMap {
                if case .files(.place(let plan)) = $0.work { plan } else { nil }
            }
            #expect(plans.map(\.isOwn) == [isOwn])
        }
    }

    @Test func historyIncludesDeferredWrites() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        guard case .history(let lines)? = world.send(.history(id)) else { Issue.record("no history"); return }
        #expect(lines.map(\.event) == ["submitted", "started"])
    }

    @Test func aFileThatIsBeingPlacedHoldsNoSlot() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let first = try world.accept(LoopWorld.download())
        let second = try world.accept(LoopWorld.download { $0.url = "http://a.test/b" })
        #expect(world.runningURLs == ["http://a.test/a"])
        try world.answer(Self.written)
        #expect(try world.state(first) == .running(.verifying))
        #expect(world.runningURLs == ["http://a.test/b"])
        #expect(try world.state(second) == .running(.preparing))
        #expect(world.loop.state.turns.queue.runningCount == 1)
    }

    @Test func aFileThatProvesWrongWaitsForASlot() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let first = try world.accept(LoopWorld.download())
        _ = try world.accept(LoopWorld.download { $0.url = "http://a.test/b" })
        try world.answer(Self.written)
        let placing = try #require(
            world.engine.runningJobs.first { if case .files(.place) = $0.work { true } else { false } })
        world.engine.emit(placing.ticket, .placed(.failure(TransferFailure(.digestMismatch, "It is wrong."))))
        world.turn()
        guard case .waiting(let waiting) = try world.state(first) else { Issue.record("it does not wait"); return }
        #expect(waiting.reason == .turn && world.runningURLs == ["http://a.test/b"])
    }

    @Test func startSurvivesFailedCommit() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let first = try world.accept(LoopWorld.request())
        let second = try world.accept(LoopWorld.request("http://a.test/b"))
        // The record and its two lines, but not their commit.
        world.loop.state.store.writesLeft = 2
        try world.answer(.responded(200))
        #expect(try world.state(first) == .running(.sending))
        #expect(try world.state(second) == .running(.sending))
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(try world.state(first) == .succeeded)
        #expect(try world.state(second) == .running(.sending))
        #expect(world.engine.jobs.count == 2)
        #expect(world.loop.state.turns.queue.runningCount == 1)
    }

    @Test func cleanupIsRecordedLaterAndLeavesMemory() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.download())
        try world.answer(Self.written)
        try world.answer(.placed(.success(PlacedFile(path: "/out/a", leavesPartialFile: true))))
        try world.answer(.discarded(nil))
        #expect(try world.record(id).facts.cleanup.isEmpty)
        #expect(try world.loop.state.store.pendingCleanup() == [id])
        #expect(world.loop.state.turns.live.isEmpty && world.loop.state.turns.tidying.isEmpty)
        world.pass(.seconds(2))
        #expect(try world.loop.state.store.pendingCleanup().isEmpty)
        #expect(world.loop.state.behind.ids.isEmpty)
    }

    @Test func transferCostIsIndependentOfQueueLength() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 64, perHost: 4)))
        var costs: [Int] = []
        for others in [1_000, 19_000] {
            let waiting = (0..<others).map { number in
                LoopWorld.request("http://slow.test/\(number)") { $0.options.priority = -1 }
            }
            for start in stride(from: 0, to: others, by: 1_000) {
                _ = world.send(.submit(Array(waiting[start..<start + 1_000])))
            }
            world.pass(.seconds(2))
            let before = world.loop.state.store.stepsDone
            for _ in 0..<10 {
                _ = try world.accept(LoopWorld.request())
                try world.answer(.responded(200))
            }
            costs.append(world.loop.state.store.stepsDone - before)
        }
        #expect(Double(costs[1]) < 1.2 * Double(costs[0]))
    }
}
