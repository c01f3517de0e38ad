import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Limits of number and time, as the loop applies them.
@Suite struct LimitsTests {
    private func isWaiting(_ world: LoopWorld, _ id: TransferID, _ reason: Waiting.Reason) throws -> Bool {
        if case .waiting(let waiting) = try world.state(id) { waiting.reason == reason } else { false }
    }

    private func failure(_ world: LoopWorld, _ id: TransferID) throws -> FailureCode? {
        if case .failed(let failure) = try world.state(id) { failure.code } else { nil }
    }

    @Test func limitsChangedLiveLetTheNextOnesGo() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let ids = try (0..<3).map { try world.accept(LoopWorld.request("http://h\($0).test/")) }
        #expect(world.engine.runningJobs.count == 1)
        #expect(world.loop.state.snapshot(of: try world.record(ids[2])).turnLimit == .total)
        _ = world.send(.setLimits(SessionLimits(total: 3, perHost: 1)))
        #expect(world.engine.runningJobs.count == 3)
    }

    @Test func newGroupLimitApplies() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(perGroup: ["a": 1, "b": 1])))
        let ids = try (0..<3).map { number in
            try world.accept(LoopWorld.request("http://h\(number).test/") { $0.options.group = "a" })
        }
        #expect(world.runningURLs == ["http://h0.test/"])
        var adjustment = TransferAdjustment()
        adjustment.group = "b"
        _ = world.send(.adjust(adjustment, .ids([ids[2]])))
        #expect(world.runningURLs == ["http://h0.test/", "http://h2.test/"])
        // A running transfer continues, and frees its slot in the group that it has left.
        adjustment.group = ""
        _ = world.send(.adjust(adjustment, .ids([ids[0]])))
        #expect(world.engine.runningJobs.count == 3)
    }

    @Test func sessionsShareTheRoomOfTheirProcess() throws {
        let room = TransferSlots(capacity: 10, descriptors: 100)
        let world = try LoopWorld(change: { $0.room = room })
        let other = try LoopWorld(change: { $0.room = room })
        for world in [world, other] { _ = world.send(.setLimits(SessionLimits(total: 9, perHost: 9))) }
        let ids = try (0..<12).map { try world.accept(LoopWorld.request("http://h\($0).test/")) }
        #expect(world.engine.runningJobs.count == 9)
        let late = try (0..<9).map { try other.accept(LoopWorld.request("http://h\($0).test/")) }
        #expect(other.engine.runningJobs.count == TransferSlots.leastForEach, "a session can always move")
        #expect(other.loop.state.snapshot(of: try other.record(late[8])).turnLimit == .total)
        let next = try #require(other.loop.nextAlarm())
        #expect(next - other.time.now <= .seconds(1), "the session checks for released slots")
        for id in ids { world.control(.cancel, id) }
        world.turn()
        other.pass(.seconds(2), steps: 2)
        #expect(other.engine.runningJobs.count == 9)
    }

    /// The session that came first has all slots; each end of one of its transfers gives a slot to the other session, until both have the
    /// same number.
    @Test func freedSlotGoesToNeediestSession() throws {
        let room = TransferSlots(capacity: 100, descriptors: 1_000)
        room.limit(to: 6)
        let greedy = try LoopWorld(change: { $0.room = room })
        let other = try LoopWorld(change: { $0.room = room })
        let ids = try (0..<12).map { try greedy.accept(LoopWorld.request("http://h\($0).test/")) }
        for number in 0..<12 { _ = try other.accept(LoopWorld.request("http://h\(number).test/")) }
        #expect(greedy.engine.runningJobs.count == 6 && other.engine.runningJobs.count == 0)
        for id in ids[..<5] {
            greedy.control(.cancel, id)
            greedy.turn()
            other.pass(.seconds(2), steps: 2)
            greedy.pass(.seconds(2), steps: 2)
        }
        #expect(greedy.loop.state.turns.queue.runningCount == 3 && other.loop.state.turns.queue.runningCount == 3)
        room.limit(to: nil)
        other.pass(.seconds(2), steps: 2)
        #expect(other.engine.runningJobs.count == 12)
    }

    /// The process has fewer descriptors than the last owner had. Urgent transfers keep their turns.
    @Test func recoveredTransfersHonorFewerSlots() throws {
        let (temporary, time) = (try TemporaryDirectory(), ManualTime())
        try {
            let world = try LoopWorld(in: temporary, at: time)
            _ = world.send(.setLimits(SessionLimits(total: 20, perHost: 20)))
            for number in 0..<20 {
                _ = try world.accept(
                    LoopWorld.request("http://h\(number).test/") { $0.options.priority = number == 19 ? 10 : 0 })
            }
            // Recorded as running, not only started.
            world.pass(.seconds(2))
            #expect(world.engine.runningJobs.count == 20)
        }()
        time.advance(by: .milliseconds(1))
        let room = TransferSlots(capacity: 6, descriptors: 90)
        let world = try LoopWorld(in: temporary, at: time, change: { $0.room = room })
        #expect(world.engine.runningJobs.count == 6)
        #expect(world.runningURLs.contains("http://h19.test/"))
        #expect(world.loop.state.totals.running == 6 && world.loop.state.totals.waiting == 14)
        let other = try LoopWorld(change: { $0.room = room })
        _ = try other.accept(LoopWorld.request())
        #expect(other.engine.runningJobs.count == 1, "another session can always move")
        // The others follow as the first ones end.
        for _ in 0..<19 {
            try world.answer(.responded(200))
            world.pass(.seconds(2), steps: 2)
        }
        #expect(world.loop.state.totals.succeeded == 19 && world.engine.runningJobs.count == 1)
    }

    @Test func aLimitThatTheProcessCannotKeepIsRefused() throws {
        let world = try LoopWorld(change: { $0.room = TransferSlots(capacity: 48, descriptors: 256) })
        guard case .failed(let failure)? = world.send(.setLimits(SessionLimits(total: 49, perHost: 6))) else {
            return #expect(Bool(false))
        }
        #expect(failure.code == .invalidArgument && failure.message.contains("At most 48"))
        #expect(world.send(.setLimits(SessionLimits(total: 48, perHost: 500))) != nil)
        #expect(world.send(.limits) == .limits(SessionLimits(total: 48, perHost: 500)))
    }

    @Test func aHostThatSharesConnectionsGetsMoreAtOnce() throws {
        let world = try LoopWorld()
        let ids = try (0..<120).map { try world.accept(LoopWorld.request("https://h.test/\($0)")) }
        #expect(world.engine.runningJobs.count == 6)
        #expect(world.loop.state.snapshot(of: try world.record(ids[6])).turnLimit == .host)
        world.engine.emit(world.engine.runningJobs[0].ticket, .sharesConnections(true))
        world.turn()
        #expect(world.engine.runningJobs.count == 100)
        world.engine.emit(world.engine.runningJobs[0].ticket, .sharesConnections(false))
        world.engine.emit(world.engine.runningJobs[0].ticket, .responded(204))
        world.turn()
        #expect(world.engine.runningJobs.count == 99)
    }

    @Test func retryAfterHoldsAllTransfersOfHost() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 9, perHost: 1)))
        let busy = try world.accept(LoopWorld.request("http://a.test/1"))
        let held = try world.accept(LoopWorld.request("http://a.test/2"))
        let other = try world.accept(LoopWorld.request("http://b.test/3"))
        world.engine.emit(
            world.engine.runningJobs[0].ticket, .responded(503, [HeaderField("Retry-After", "120")]))
        world.turn()
        #expect(try isWaiting(world, busy, .serverBusy))
        world.pass(.seconds(119), steps: 10)
        #expect(try isWaiting(world, held, .turn))
        #expect(world.loop.state.snapshot(of: try world.record(held)).turnLimit == .heldHost)
        #expect(try world.state(other) == .running(.sending))
        world.pass(.seconds(5), steps: 5)
        #expect(world.runningURLs.contains { $0.hasPrefix("http://a.test/") })
    }

    @Test func aTransferThatWinsNoByteIsGivenUp() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request { $0.options.progressTimeout = .seconds(60) })
        world.pass(.seconds(50), steps: 5)
        world.engine.setProgress(ExchangeProgress(sent: 0, received: 7), of: world.engine.runningJobs[0].ticket)
        world.pass(.seconds(50), steps: 5)
        #expect(try world.state(id) == .running(.sending))
        world.pass(.seconds(80), steps: 8)
        #expect(try failure(world, id) == .noProgress)
    }

    /// The bytes are first seen when the limit is checked; the limit counts from their arrival.
    @Test func theTimeWithoutAByteCountsFromTheLastOne() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request { $0.options.progressTimeout = .seconds(60) })
        let ticket = world.engine.runningJobs[0].ticket
        world.engine.setProgress(ExchangeProgress(sent: 7, received: 0, quiet: .seconds(58)), of: ticket)
        world.pass(.seconds(60))
        #expect(try world.state(id) == .running(.sending))
        world.pass(.seconds(2))
        #expect(try failure(world, id) == .noProgress)
    }

    @Test func aTransferThatWinsNoByteIsGivenUpAlsoWhileItIsWatched() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request { $0.options.progressTimeout = .seconds(60) })
        world.turn([.watch(WatchToken(number: 1), .all) { _ in }])
        world.pass(.seconds(90), steps: 300)
        #expect(try failure(world, id) == .noProgress)
    }

    @Test func aTransferIsGivenUpAlsoBetweenTwoTries() throws {
        let world = try LoopWorld()
        let id = try world.accept(
            LoopWorld.request {
                $0.options.progressTimeout = .seconds(60)
                $0.options.retryLimit = 1_000
            })
        for _ in 0..<40 {
            if !world.engine.runningJobs.isEmpty { try world.answer(.broke(.connectionRefused)) }
            world.pass(.seconds(3))
        }
        #expect(try failure(world, id) == .noProgress)
    }

    @Test func aTransferThatIsBeingPausedIsNotGivenUp() throws {
        let world = try LoopWorld()
        world.engine.setAnswersCancels(false)
        let id = try world.accept(LoopWorld.request { $0.options.progressTimeout = .seconds(60) })
        world.control(.pause, id)
        world.pass(.seconds(100))
        #expect(try world.state(id) == .paused)
    }

    @Test func theWholeTimeIsLimited() throws {
        let world = try LoopWorld()
        let running = try world.accept(LoopWorld.request { $0.options.timeoutIntervalForResource = .seconds(100) })
        let paused = try world.accept(LoopWorld.request { $0.options.timeoutIntervalForResource = .seconds(100) })
        world.control(.pause, paused)
        world.pass(.seconds(99), steps: 3)
        #expect(try world.state(running) == .running(.sending))
        world.pass(.seconds(2))
        #expect(try failure(world, running) == .resourceTimeExceeded)
        #expect(try failure(world, paused) == .resourceTimeExceeded)
        world.turn()
        #expect(world.loop.state.turns.live.isEmpty && world.loop.state.turns.queue.runningCount == 0)
    }

    @Test func aNetworkThatReturnsReleasesThoseThatWaitForIt() throws {
        let world = try LoopWorld()
        let offline = try world.accept(LoopWorld.request())
        try world.answer(.broke(.offline))
        let refused = try world.accept(LoopWorld.request())
        try world.answer(.broke(.connectionRefused))
        world.turn([.networkReturned])
        #expect(try world.state(offline) == .running(.sending))
        #expect(try isWaiting(world, refused, .retry))
    }

    @Test func failedRemoteCleanupIsRetried() throws {
        let world = try LoopWorld()
        let source = SourceFile(
            path: world.loop.state.directory.layout.staged + "/b", pin: LoopWorld.pin, isStaged: true)
        let id = try world.accept(
            TransferSpec(work: .upload(.tus(source, metadata: [])), method: "POST", url: "http://t.test/files"))
        try world.answer(.sourcesInspected([.success(LoopWorld.pin)]))
        try world.answer(.responded(204, [HeaderField("Tus-Extension", "creation,termination")]))
        try world.answer(.responded(201, [HeaderField("Location", "/files/1")]))
        world.control(.cancel, id)
        world.turn()
        let jobs = world.engine.runningJobs
        #expect(jobs.count == 2)
        let deletion = try #require(jobs.first { if case .exchange = $0.work { true } else { false } })
        let discard = try #require(jobs.first { if case .files(.discard) = $0.work { true } else { false } })
        world.engine.emit(deletion.ticket, .broke(.connectionRefused))
        world.turn()
        world.engine.emit(discard.ticket, .discarded(nil))
        world.turn()
        #expect(try world.record(id).facts.cleanup == [.remoteUpload])
        world.pass(.seconds(301))
        #expect(world.engine.runningJobs.count == 1, "the other task's end stopped the alarm")
    }
}
