import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// The service's loop and an app that is not running.
@Suite struct WakingTests {
    private let temporary: TemporaryDirectory
    private let time = ManualTime()
    private let wakes = Kept<WakeOrder>()
    private static let backoff = WakeBackoff(first: .seconds(30), longest: .seconds(100))
    private static let registration = WakeRegistration(.systemdUnit("photos.service"), backoff: backoff)

    init() throws {
        temporary = try TemporaryDirectory()
    }

    private func open(
        _ registration: WakeRegistration? = registration, survives: (@Sendable (LoopPoint) -> Bool)? = nil
    ) throws -> LoopWorld {
        // Each life draws the same random numbers; another time makes other identifiers of them.
        time.advance(by: .milliseconds(1))
        let world = try LoopWorld(in: temporary, at: time, survives: survives) { [wakes] in wakes.keep($0) }
        if let registration { _ = world.send(.setWake(registration)) }
        // An event at the time of the opening may have been seen by the session's previous owner.
        time.advance(by: .milliseconds(1))
        return world
    }

    private func finish(
        _ world: LoopWorld, _ change: (inout TransferSpec) -> Void = { _ in }
    ) throws -> TransferID {
        let id = try world.accept(LoopWorld.request("http://a.test/", change))
        try world.answer(.responded(200))
        return id
    }

    private func status(_ world: LoopWorld) throws -> WakeStatus {
        guard case .wake(let status)? = world.send(.wakeStatus) else {
            throw TransferFailure(.internalFault, "no status")
        }
        return status
    }

    private func events(_ world: LoopWorld, after number: Int64 = 0) throws -> [SessionEvent] {
        guard case .events(let page)? = world.send(.events(after: number)) else {
            throw TransferFailure(.internalFault, "no events")
        }
        return page.events
    }

    /// The app was started, and does not acknowledge.
    private func started(_ world: LoopWorld) { world.turn([.wakeEnded(WakeReport(.started))]) }

    @Test func theEndOfAllTransfersStartsTheAppOnceForEachOccasion() throws {
        let world = try open()
        let first = try world.accept(LoopWorld.request())
        let second = try world.accept(LoopWorld.request("http://b.test/"))
        for job in world.engine.runningJobs { world.engine.emit(job.ticket, .responded(200)) }
        world.turn()
        let session = try #require(SessionID("session"))
        #expect(
            wakes.all == [
                WakeOrder(
                    request: WakeRequest(session: session, reason: .allTransfersFinished),
                    method: .systemdUnit("photos.service"))
            ])
        #expect(try events(world).map { $0.transfer?.id } == [first, second, nil])
        #expect(try status(world).hold == .waking)
        started(world)
        world.pass(.seconds(29), steps: 29)
        #expect(wakes.all.count == 1)
    }

    @Test func anAppThatDoesNotAcknowledgeIsStartedLessAndLessOften() throws {
        let world = try open()
        _ = try finish(world)
        for wait in [30, 60, 100, 100] as [Int64] {
            started(world)
            let before = wakes.all.count
            #expect(world.loop.nextAlarm() == time.now + .seconds(wait), "nothing to do before that")
            world.pass(.seconds(wait - 1))
            #expect(wakes.all.count == before)
            world.pass(.seconds(1))
            #expect(wakes.all.count == before + 1)
        }
        #expect(try status(world).record.unanswered == 5)
    }

    @Test func acknowledgedEventWakesNoApp() throws {
        let world = try open()
        _ = try finish(world)
        started(world)
        let number = try #require(try events(world).last?.number)
        guard case .wake(let status)? = world.send(.acknowledgeEvents(through: number)) else {
            Issue.record("no status")
            return
        }
        #expect(status.hold == .nothingToTell && status.pendingEvents == 0 && status.record.unanswered == 0)
        #expect(world.loop.nextAlarm() == nil && !world.loop.state.activity.hasLiveWork)
        world.pass(.seconds(10_000))
        #expect(wakes.all.count == 1)
        // Another event is another start, at once.
        let next = try finish(world)
        #expect(wakes.all.count == 2)
        #expect(try events(world, after: number).map { $0.transfer?.id } == [next, nil])
    }

    @Test func runningOrExitingAppIsNotLaunched() throws {
        let world = try open()
        let token = WatchToken(number: 1)
        let news = Kept<Int64>()
        world.turn([.attach(token, observer: { news.keep($0) })])
        _ = try finish(world)
        #expect(news.all == [0, 2])
        #expect(try status(world).hold == .attached)
        world.pass(.seconds(500))
        world.turn([.unwatch(token)])
        #expect(wakes.all.isEmpty)
        #expect(world.loop.nextAlarm() == time.now + .seconds(30))
        world.pass(.seconds(30))
        #expect(wakes.all.count == 1)
    }

    @Test func eventAfterDetachWakesAppImmediately() throws {
        let world = try open()
        let token = WatchToken(number: 1)
        world.turn([.attach(token, observer: { _ in })])
        let id = try world.accept(LoopWorld.request())
        world.turn([.unwatch(token)])
        time.advance(by: .milliseconds(5))
        try world.answer(.responded(200))
        #expect(wakes.all.count == 1)
        #expect(try events(world).map { $0.transfer?.id } == [id, nil])
    }

    @Test func anAppThatDoesNotWantToBeStartedIsNot() throws {
        let world = try open(WakeRegistration(.systemdUnit("a.service"), sessionSendsLaunchEvents: false))
        _ = try finish(world)
        world.pass(.seconds(1_000))
        #expect(wakes.all.isEmpty && world.loop.nextAlarm() == nil)
        let status = try status(world)
        #expect(status.hold == .launchEventsOff && status.pendingEvents == 2)
    }

    @Test func transferOptionLaunchesAppWhenFinished() throws {
        let world = try open()
        _ = try world.accept(
            LoopWorld.request("http://b.test/") { $0.options.earliestBeginDate = time.now + .seconds(900) })
        _ = try finish(world)
        #expect(wakes.all.isEmpty, "not all have ended")
        let id = try finish(world) { $0.options.wakesAppWhenFinished = true }
        #expect(wakes.all.map(\.request.reason) == [.transferFinished])
        #expect(wakes.all.map(\.request.transfer) == [id])
    }

    @Test func aTransferThatIsAddedOrTriedAgainTakesBackThatAllHaveEnded() throws {
        let world = try open()
        let id = try world.accept(LoopWorld.request())
        try world.answer(.responded(404))
        started(world)
        world.control(.retry, id)
        #expect(try events(world) == [])
        world.pass(.seconds(40))
        #expect(wakes.all.count == 1)
        try world.answer(.responded(200))
        #expect(wakes.all.count == 2)
        let events = try events(world)
        #expect(events.map { $0.transfer?.state } == [.succeeded, nil])
        #expect(events.map(\.number) == [3, 4])
    }

    @Test func removedTransferWakesNoApp() throws {
        let world = try open()
        let id = try finish(world)
        started(world)
        world.control(.remove, id)
        #expect(try events(world) == [])
        let status = try status(world)
        #expect(status.hold == .nothingToTell && status.record.unanswered == 0, "that is an answer as well")
    }

    @Test func aWaitForCredentialsStartsTheAppAndItsEndTakesThatBack() throws {
        let world = try open()
        let asked = Kept<LoopInput>()
        world.loop.outlets.post = { asked.keep($0) }
        let id = try world.accept(LoopWorld.request { $0.options.credentialName = CredentialName("photos") })
        #expect(wakes.all.isEmpty, "credential sources are queried before the app is launched")
        world.turn(asked.all)
        #expect(wakes.all.map(\.request.reason) == [.needsCredentials])
        #expect(wakes.all.map(\.request.transfer) == [id])
        _ = world.send(.provideCredential(CredentialName("photos")!, url: "http://a.test/", .bearer("token")))
        #expect(try events(world) == [])
    }

    @Test(arguments: [WakeOutcome.missing, .unreachable, .refused])
    func anAppThatCannotBeStartedIsTriedAgainLater(_ outcome: WakeOutcome) throws {
        let world = try open()
        _ = try finish(world)
        world.turn([.wakeEnded(WakeReport(outcome, "No bus."))])
        let status = try status(world)
        #expect(status.record.outcome == outcome && status.record.message == "No bus.")
        #expect(status.hold == .backingOff && status.nextWakeAt == time.now + .seconds(30))
        #expect(world.loop.nextAlarm() == time.now + .seconds(30))
        // A service stays running for an app that may start, and not for one that was removed.
        #expect(world.loop.state.activity.hasLiveWork == (outcome != .missing))
        world.pass(.seconds(30))
        #expect(wakes.all.count == 2)
    }

    @Test func unrequestedEventsAreNotKept() throws {
        let world = try open(nil)
        _ = try finish(world)
        #expect(try events(world) == [])
        world.turn([.attach(WatchToken(number: 1), observer: { _ in })])
        _ = try finish(world)
        #expect(try events(world).count == 2)
    }

    @Test func aSessionThatIsOpenedAgainStartsTheAppOnlyWhenThatIsDue() throws {
        do {
            let world = try open()
            _ = try finish(world)
        }
        #expect(wakes.all.count == 1)
        let world = try open(nil)
        #expect(wakes.all.count == 1)
        #expect(try status(world).record.unanswered == 1)
        world.pass(.seconds(29))
        #expect(wakes.all.count == 1)
        world.pass(.seconds(2))
        #expect(wakes.all.count == 2)
        #expect(try events(world).count == 2)
    }

    /// Dies at each point of the turn that ends the last transfer: no event is lost, and no app is started again at once.
    @Test(arguments: [LoopPoint.beforeCommit, .afterCommit, .beforeAction])
    func deathAroundTheCommitForgetsNothing(_ point: LoopPoint) throws {
        let isArmed = Mutex(false)
        do {
            let world = try open { reached in !(isArmed.withLock { $0 } && reached == point) }
            _ = try world.accept(LoopWorld.request())
            isArmed.withLock { $0 = true }
            try world.answer(.responded(200))
            #expect(world.loop.isDead && wakes.all.isEmpty)
        }
        let world = try open(nil)
        if point == .beforeCommit { try world.answer(.responded(200)) } else { #expect(wakes.all.isEmpty) }
        world.pass(.seconds(31))
        #expect(wakes.all.count == 1)
        #expect(try events(world).count == 2)
    }

    @Test func aFullDiskForgetsNothing() throws {
        let world = try open()
        _ = try world.accept(LoopWorld.request())
        world.loop.state.store.writesLeft = 0
        try world.answer(.responded(200))
        #expect(wakes.all.isEmpty)
        world.loop.state.store.writesLeft = nil
        world.pass(.seconds(3))
        #expect(wakes.all.count == 1)
        #expect(try events(world).map(\.number) == [1, 2])
    }

    @Test func aWrongRegistrationIsRefused() throws {
        let world = try open(nil)
        guard case .failed(let failure)? = world.send(.setWake(WakeRegistration(.command(["photos"])))) else {
            Issue.record("it was taken")
            return
        }
        #expect(failure.code == .invalidArgument)
        #expect(try status(world).registration == nil)
    }
}
