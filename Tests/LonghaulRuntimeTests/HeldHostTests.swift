import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Hosts that required a pause (`Retry-After`), as the loop handles them.
@Suite struct HeldHostTests {
    private static let busy = EngineEvent.responded(503, [HeaderField("Retry-After", "3600")])

    /// Returns a world in which the first transfer was refused; the others wait for the same host.
    private func sentAway(_ others: Int = 2) throws -> (LoopWorld, TransferID, [TransferID]) {
        let world = try LoopWorld()
        let first = try world.accept(LoopWorld.request("http://a.test/0"))
        try world.answer(Self.busy)
        let behind = try (1...others).map { try world.accept(LoopWorld.request("http://a.test/\($0)")) }
        #expect(world.engine.runningJobs.isEmpty)
        return (world, first, behind)
    }

    private func snapshot(_ world: LoopWorld, _ id: TransferID) throws -> TransferSnapshot {
        world.loop.state.snapshot(of: try world.record(id))
    }

    private func until(_ snapshot: TransferSnapshot) -> WallTime? {
        if case .waiting(let waiting) = snapshot.state { waiting.until } else { nil }
    }

    private func retryAfter(_ snapshot: TransferSnapshot) -> WallTime? {
        if case .waiting(let waiting) = snapshot.state { waiting.retryAfter } else { nil }
    }

    /// Returns a transfer whose server has answered 503 with `Retry-After: 5` in four attempts, so that its own
    /// back-off is longer than that.
    private func backedOff(_ world: LoopWorld) throws -> TransferID {
        let id = try world.accept(LoopWorld.request("http://a.test/0"))
        for attempt in 1... {
            try world.answer(.responded(503, [HeaderField("Retry-After", "5")]))
            let waiting = try snapshot(world, id)
            let own = try #require(until(waiting)) - #require(retryAfter(waiting))
            #expect(own > .zero)
            if attempt >= 4, own > .seconds(2) { return id }
            world.time.advance(by: .seconds(5) + own)
            world.turn()
        }
        return id
    }

    @Test func ownBackOffDelaysNoOtherTransfer() throws {
        let world = try LoopWorld()
        let busy = try backedOff(world)
        let other = try world.accept(LoopWorld.request("http://a.test/1"))
        #expect(until(try snapshot(world, other)) == world.time.now + .seconds(5))
        world.pass(.milliseconds(4_999))
        #expect(try snapshot(world, other).turnLimit == .heldHost)
        world.pass(.milliseconds(1))
        #expect(world.runningURLs == ["http://a.test/1"])
        #expect(try isServerBusy(world, busy))
        world.control(.retry, busy)
        #expect(world.runningURLs == ["http://a.test/1", "http://a.test/0"])
    }

    @Test func ownBackOffDelaysNoOtherTransferAfterRestart() throws {
        let temporary = try TemporaryDirectory()
        let time = ManualTime()
        let busy = try backedOff(try LoopWorld(in: temporary, at: time))
        let world = try LoopWorld(in: temporary, at: time)
        let other = try world.accept(LoopWorld.request("http://a.test/1"))
        #expect(until(try snapshot(world, other)) == time.now + .seconds(5))
        world.pass(.seconds(5))
        #expect(world.runningURLs == ["http://a.test/1"])
        #expect(try isServerBusy(world, busy))
    }

    @Test func changeAfterStatedTimeHoldsNoHost() throws {
        let world = try LoopWorld()
        let busy = try backedOff(world)
        world.pass(.seconds(5))
        _ = world.send(.adjust(TransferAdjustment(priority: 3), .ids([busy])))
        _ = try world.accept(LoopWorld.request("http://a.test/1"))
        #expect(world.runningURLs == ["http://a.test/1"])
    }

    private func isServerBusy(_ world: LoopWorld, _ id: TransferID) throws -> Bool {
        if case .waiting(let waiting) = try world.state(id) { waiting.reason == .serverBusy } else { false }
    }

    @Test func heldTransferReportsRetryTime() throws {
        let (world, first, behind) = try sentAway()
        let (cause, held) = (try snapshot(world, first), try snapshot(world, behind[0]))
        #expect(held.turnLimit == .heldHost)
        #expect(until(held) != nil && until(held) == retryAfter(cause))
        guard case .page(let page)? = world.send(.list(ListQuery(selection: .all, ended: nil, limit: 10))) else {
            Issue.record("no list")
            return
        }
        #expect(page.transfers.map(\.turnLimit) == [nil, .heldHost, .heldHost])
        #expect(try world.record(behind[0]).state != held.state, "the time is reported but not stored")
    }

    @Test func theOneThatWasSentAwayIsTriedAgainByHandAndAlone() throws {
        let (world, first, behind) = try sentAway()
        world.control(.retry, first)
        #expect(world.runningURLs == ["http://a.test/0"])
        #expect(try snapshot(world, behind[0]).turnLimit == .heldHost)
        try world.answer(.responded(200))
        #expect(Set(world.runningURLs) == ["http://a.test/1", "http://a.test/2"])
    }

    @Test func manualRetryOvertakesOlderTransfers() throws {
        let (world, first, behind) = try sentAway()
        world.control(.retry, behind[1])
        #expect(world.runningURLs == ["http://a.test/2"])
        try world.answer(.responded(503, [HeaderField("Retry-After", "7200")]))
        #expect(world.engine.runningJobs.isEmpty)
        let end = until(try snapshot(world, behind[0]))
        #expect(end == retryAfter(try snapshot(world, behind[1])), "the newer date is the later one")
        #expect(try #require(end) > (try #require(until(try snapshot(world, first)))))
    }

    @Test func arrivingBodyReleasesHost() throws {
        let world = try LoopWorld()
        _ = try world.accept(LoopWorld.request())
        try world.answer(Self.busy)
        let file = try world.accept(LoopWorld.download())
        let other = try world.accept(LoopWorld.request())
        world.control(.retry, file)
        if case .files(.measurePartial)? = world.engine.runningJobs.last?.work {
            try world.answer(.partialMeasured(.success(nil)))
        }
        #expect(try snapshot(world, other).turnLimit == .heldHost)
        try world.answer(.receiving(.file()))
        #expect(try world.state(other) == .running(.sending))
    }

    @Test func automaticRetryHonorsRetryAfter() throws {
        let (world, first, _) = try sentAway()
        world.control(.retry, first)
        try world.answer(.broke(.connectionRefused))
        world.pass(.seconds(60), steps: 20)
        #expect(world.engine.runningJobs.isEmpty)
        #expect(try snapshot(world, first).turnLimit == .heldHost)
        world.pass(.seconds(3_600), steps: 4)
        #expect(world.engine.runningJobs.count == 3)
    }

    @Test(arguments: [ControlVerb.cancel, .pause]) func lastRefusedTransferReleasesHost(_ verb: ControlVerb)
        throws
    {
        let (world, first, behind) = try sentAway()
        world.control(verb, first)
        #expect(world.engine.runningJobs.count == 2)
        #expect(try world.state(behind[0]) == .running(.sending))
        #expect(world.loop.state.turns.queue.nextHoldEnd == nil)
    }

    @Test func aLimitOfTimeEndsTheOneThatWasSentAwayAndThoseBehindIt() throws {
        let world = try LoopWorld()
        func limited(_ path: String, _ seconds: Int64) throws -> TransferID {
            try world.accept(
                LoopWorld.request("http://a.test/\(path)") { $0.options.timeoutIntervalForResource = .seconds(seconds) }
            )
        }
        let first = try limited("0", 200)
        try world.answer(Self.busy)
        let (short, long) = (try limited("1", 100), try limited("2", 1_000))
        world.pass(.seconds(101))
        guard case .failed(let failure) = try world.state(short) else { return #expect(Bool(false)) }
        #expect(failure.code == .resourceTimeExceeded)
        #expect(try snapshot(world, long).turnLimit == .heldHost)
        world.pass(.seconds(100))
        #expect(try world.state(first).isEnded)
        #expect(try world.state(long) == .running(.sending))
    }

    @Test(arguments: 0..<3) func unsavedRetryDefiesNoHost(_ writes: Int) throws {
        let (world, first, behind) = try sentAway()
        world.pass(.seconds(5))
        world.loop.state.store.writesLeft = writes
        for id in [first, behind[1]] {
            guard case .failed? = world.control(.retry, id) else { return #expect(Bool(false)) }
        }
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(60), steps: 6)
        #expect(world.engine.runningJobs.isEmpty)
        #expect(try snapshot(world, behind[1]).turnLimit == .heldHost)
        world.control(.retry, behind[1])
        #expect(world.runningURLs == ["http://a.test/2"])
    }

    @Test func aRestartHoldsTheHostForWhomItSentAway() throws {
        let temporary = try TemporaryDirectory()
        let time = ManualTime()
        var ids: [TransferID] = []
        do {
            let world = try LoopWorld(in: temporary, at: time)
            ids.append(try world.accept(LoopWorld.request("http://a.test/0")))
            try world.answer(Self.busy)
            ids.append(try world.accept(LoopWorld.request("http://a.test/1")))
        }
        let world = try LoopWorld(in: temporary, at: time)
        #expect(world.engine.runningJobs.isEmpty)
        #expect(try snapshot(world, ids[1]).turnLimit == .heldHost)
        world.control(.retry, ids[0])
        #expect(world.runningURLs == ["http://a.test/0"])
    }

    @Test func aWatchOfOneHearsThatItsHostIsHeldAndThatItIsFree() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 9, perHost: 1)))
        let first = try world.accept(LoopWorld.request("http://a.test/0"))
        _ = try world.accept(LoopWorld.request("http://a.test/1"))
        let last = try world.accept(LoopWorld.request("http://a.test/2"))
        let told = Kept<TransferSnapshot>()
        world.turn([.watch(WatchToken(number: 1), .ids([last])) { $0.changed.forEach(told.keep) }])
        try world.answer(Self.busy)
        world.pass(.seconds(1))
        world.control(.cancel, first)
        world.pass(.seconds(1))
        #expect(told.all.map(\.turnLimit) == [.host, .heldHost, .host])
        #expect(told.all.map { until($0) != nil } == [false, true, false])
    }
}
