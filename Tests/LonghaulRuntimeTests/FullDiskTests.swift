import LonghaulCore
import LonghaulStore
import TestSupport
import Testing

@testable import LonghaulRuntime

/// A store that cannot be written: commands are refused, no event is lost, and the session continues when the store is writable again.
@Suite struct FullDiskTests {
    private func isFailure(_ reply: SessionReply?) -> Bool {
        if case .failed(let failure)? = reply { failure.code == .diskFull } else { false }
    }

    @Test func commandsAreRefusedAndQuestionsAnswered() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 0
        #expect(isFailure(world.send(.submit([LoopWorld.request()]))))
        #expect(isFailure(world.control(.pause, id)))
        #expect(isFailure(world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))))
        #expect(world.loop.state.turns.queue.limits == SessionLimits(), "a refused change is not in effect")
        guard case .page(let page)? = world.send(.list(ListQuery())) else { return #expect(Bool(false)) }
        #expect(page.transfers.map(\.id) == [id])
        world.loop.state.store.writesLeft = nil
        #expect(!isFailure(world.control(.pause, id)))
    }

    @Test func noEngineEventIsLost() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 0
        try world.answer(.responded(200))
        #expect(try world.state(id) == .running(.sending))
        world.loop.state.store.writesLeft = nil
        world.turn()
        #expect(try world.state(id) == .succeeded)
    }

    @Test func questionsAreAnsweredAlsoWhileEventsWaitForTheDisk() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 0
        try world.answer(.responded(200))
        guard case .detail(let detail)? = world.send(.show(id)) else { return #expect(Bool(false)) }
        #expect(detail.snapshot.id == id)
        #expect(isFailure(world.control(.cancel, id)))
    }

    @Test func transferThatCannotContinueIsShownAsWaiting() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        let other = try world.accept(LoopWorld.request("http://b.test/"))
        let updates = Kept<WatchUpdate>()
        world.turn([.watch(WatchToken(number: 1), .all) { updates.keep($0) }])
        let ticket = try #require(world.engine.runningJobs.first).ticket
        world.loop.state.store.writesLeft = 0
        world.engine.emit(ticket, .responded(200))
        world.engine.setProgress(nil, of: ticket)
        world.pass(.seconds(3))
        let waiting = try #require(try world.shown(id).state.waiting)
        #expect(waiting.reason == .diskSpace && waiting.failure?.code == .diskFull)
        #expect(try world.shown(id).rate == 0)
        #expect(try world.shown(other).state == .running(.sending), "its exchange continues")
        let told = updates.all.flatMap(\.changed).last { $0.id == id }
        #expect(told?.state.waiting?.reason == .diskSpace)
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(try world.shown(id).state == .succeeded)
    }

    @Test func queuedTransferThatCannotStartIsShownAsWaiting() throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1)))
        _ = try world.accept(LoopWorld.request())
        let queued = try world.accept(LoopWorld.request("http://b.test/"))
        let start = world.time.now + .seconds(3_600)
        let later = try world.accept(LoopWorld.request { $0.options.earliestBeginDate = start })
        world.loop.state.store.writesLeft = 0
        try world.answer(.responded(200))
        #expect(try world.shown(queued).state.waiting?.reason == .diskSpace)
        #expect(try world.shown(queued).turnLimit == nil)
        #expect(try world.shown(later).state.waiting?.reason == .notBefore)
    }

    @Test func timeLimitsDoNotCountTheTimeOfAFullDisk() throws {
        let world = try LoopWorld()
        func submit() throws -> TransferID {
            try world.accept(
                LoopWorld.request {
                    $0.options.timeoutIntervalForResource = .seconds(12)
                    $0.options.progressTimeout = .seconds(10)
                })
        }
        let running = try submit()
        let paused = try submit()
        world.control(.pause, paused)
        world.pass(.seconds(2))
        world.loop.state.store.writesLeft = 0
        #expect(isFailure(world.control(.pause, running)))
        world.pass(.seconds(60), steps: 30)
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(try world.state(running) == .running(.sending))
        #expect(try world.state(paused) == .paused)
        world.pass(.seconds(5))
        #expect(try world.state(paused) == .paused)
        world.pass(.seconds(8))
        guard case .failed(let failure) = try world.state(paused) else { return #expect(Bool(false)) }
        #expect(failure.code == .resourceTimeExceeded)
    }

    @Test func refusedStoreIsShownByItsReason() {
        var health = StoreHealth()
        #expect(health.waiting == nil)
        let now = WallTime(seconds: 5)
        _ = health.refuse(because: TransferFailure(.storeFailed, "The store is read-only."), at: now)
        _ = health.refuse(because: TransferFailure(.storeFailed, "It still is."), at: now + .seconds(2))
        #expect(health.waiting?.reason == .retry && health.waiting?.since == now)
        health.recordCommit()
        #expect(health.waiting == nil && health.refusedAt == nil)
    }

    @Test func limitsThatCouldNotBeCommittedAreNotInEffect() throws {
        let world = try LoopWorld()
        world.loop.state.store.writesLeft = 1
        #expect(isFailure(world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))))
        #expect(world.loop.state.turns.queue.limits == SessionLimits())
    }

    @Test(arguments: 0..<3) func aTurnThatCouldNotBeNotedIsGivenAgain(_ writes: Int) throws {
        let world = try LoopWorld()
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        let first = try world.accept(LoopWorld.request())
        let second = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = writes
        try world.answer(.responded(200))
        #expect(try world.state(first) == .running(.sending))
        world.loop.state.store.writesLeft = nil
        world.turn()
        #expect(try world.state(first) == .succeeded)
        #expect(try world.state(second) == .running(.sending))
        #expect(world.engine.runningJobs.count == 1)
    }

    @Test func aTurnThatNothingElseRecordsIsGivenAgain() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request { $0.options.earliestBeginDate = world.time.now + .seconds(60) })
        world.loop.state.store.writesLeft = 2
        world.pass(.seconds(61))
        world.loop.state.store.writesLeft = 0
        world.pass(.seconds(10))
        guard case .waiting = try world.state(id) else { return #expect(Bool(false)) }
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(try world.state(id) == .running(.sending))
    }

    @Test func anAlarmThatCouldNotBeNotedRingsAgain() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        try world.answer(.broke(.connectionRefused))
        world.loop.state.store.writesLeft = 0
        world.pass(.seconds(30), steps: 3)
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(try world.state(id) == .running(.sending))
    }

    @Test(arguments: 0..<6) func transferStartedOnFullDiskHonorsHours(_ writes: Int) throws {
        let world = try LoopWorld()
        let minute = Int(world.time.now.seconds % 86_400) / 60
        _ = world.send(.setLimits(SessionLimits(total: 1, perHost: 1)))
        _ = try world.accept(LoopWorld.request())
        let second = try world.accept(
            LoopWorld.request {
                $0.options.conditions.hours = TimeWindow(from: minute, to: (minute + 60) % 1_440)
            })
        world.loop.state.store.writesLeft = writes
        try world.answer(.responded(200))
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(try world.state(second) == .running(.sending))
        world.pass(.seconds(3_660))
        #expect(try world.state(second) != .running(.sending))
    }

    @Test func theLoopRestsBetweenItsTries() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        _ = try world.accept(LoopWorld.request("http://b.test/"))
        world.engine.emit(world.engine.runningJobs[0].ticket, .broke(.connectionRefused))
        let updates = Kept<WatchUpdate>()
        world.turn([.watch(WatchToken(number: 1), .all) { updates.keep($0) }])
        guard case .waiting = try world.state(id) else { return #expect(Bool(false)) }
        world.loop.state.store.writesLeft = 0
        world.pass(.seconds(30), steps: 3)
        #expect(world.loop.health.refusal != nil)
        let next = try #require(world.loop.nextAlarm())
        #expect(next - world.time.now >= .seconds(1), "an alarm in the past would have the loop try without a rest")
    }

    @Test func watcherSeesTransfersWhileStoreIsUnwritable() throws {
        let world = try LoopWorld()
        let id = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 0
        try world.answer(.responded(200))
        let updates = Kept<WatchUpdate>()
        world.turn([.watch(WatchToken(number: 1), .all) { updates.keep($0) }])
        #expect(updates.all.first?.changed.map(\.id) == [id])
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(updates.all.last?.changed.map(\.state) == [.succeeded])
    }

    /// The crash scenario again, with a disk that is full for a while, once for each write.
    @Test func aDiskThatIsFullForAWhileAtAnyWriteChangesNothing() throws {
        let whole = try CrashScenario(CrashPlan(.busyHour))
        whole.fullAt = .max
        try whole.run()
        for write in stride(from: 1, through: whole.writeCount, by: 5) {
            let scenario = try CrashScenario(CrashPlan(.busyHour))
            scenario.fullAt = write
            try scenario.run()
            try scenario.check("full at write \(write)")
            #expect(scenario.world.now.deliveries["http://up.test/put"] == 1)
            #expect(try scenario.record("post").state == .succeeded)
        }
    }
}
