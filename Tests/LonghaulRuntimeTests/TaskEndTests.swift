import LonghaulCore
import LonghaulStore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Runs that do not succeed, and their state after a process died.
@Suite struct TaskEndTests {
    private let world: TaskWorld

    init() throws {
        world = try TaskWorld()
    }

    @Test func aHandlerThatNeverReturnsIsGivenUpAndTheAppThrottled() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        world.submit(.appRefresh("later", earliestBeginDate: world.time.now + .seconds(40)))
        let app = world.app([TaskWorld.noon, "later"])
        #expect(app.runs.count == 1)
        world.pass(.seconds(37))
        #expect(app.runs.isEmpty)
        #expect(try world.task().last?.outcome == .overran)
        let until = try #require(try world.page().throttle.until)
        #expect(until == world.time.now + .seconds(60))
        world.pass(.seconds(10))
        #expect(try world.task("later").hold == .throttled)
        #expect(world.loop.loop.nextAlarm() == until)
        // Its handler has not returned: it is not started a second time in that process.
        world.submit(.appRefresh(TaskWorld.noon))
        world.pass(.seconds(60))
        #expect(app.runs.map(\.request.identifier) == ["later"])
        #expect(try world.task().hold == .stillRunning)
        world.send(
            .taskReturned(TaskReturn(claim: TaskClaim(identifier: TaskWorld.noon, number: 1), outcome: .expired)))
        #expect(app.runs.count == 2)
    }

    @Test func aCrashLoopIsStartedLessAndLessOftenAndGivenUp() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        var dates: [Duration] = []
        let start = world.time.now
        for _ in 0..<3 {
            while world.wakes.all.count == dates.count { world.pass(.seconds(1)) }
            dates.append(world.time.now - start)
            world.loop.turn([.wakeEnded(WakeReport(.started))])
            let app = world.app()
            #expect(app.runs.first?.attempt == dates.count)
            world.detach(app)
        }
        #expect(dates.map(\.seconds) == [0, 60, 180])
        world.pass(.seconds(40_000))
        #expect(world.wakes.all.count == 3)
        #expect(try world.task().last?.outcome == .lost)
        #expect(try world.task().request == nil && world.page().throttle.strikes == 3)
    }

    @Test func runContinuesWhenItsProcessReturnsAfterServiceRestart() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        let run = try #require(world.app().runs.first)
        try world.reopen()
        #expect(try world.task().run?.number == run.number)
        let back = world.app(claims: [run.claim])
        #expect(back.runs == [run])
        world.finish(run)
        #expect(try world.task().last?.outcome == .succeeded)
        #expect(try world.page().throttle.strikes == 0)
    }

    @Test func unclaimedRunIsLostAndRetried() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        _ = world.app()
        try world.reopen()
        world.pass(.seconds(29))
        #expect(try world.task().run != nil)
        world.pass(.seconds(1))
        #expect(try world.task().last?.outcome == .lost)
        world.pass(.seconds(60))
        #expect(world.app().runs.first?.attempt == 2)
    }

    @Test func runLostByRebootIsRetriedImmediately() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        _ = world.app()
        try world.reopen(boot: "after a power cut")
        let app = world.app()
        #expect(app.runs.first?.attempt == 2, "no delay: a power failure is not the app's fault")
    }

    @Test func anAnswerThatComesTwiceOrLateIsTaken() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        let app = world.app()
        let run = try #require(app.runs.first)
        world.detach(app)
        #expect(try world.task().last?.outcome == .lost)
        world.finish(run)
        world.finish(run)
        #expect(try world.task().last?.outcome == .succeeded)
        #expect(try world.task().request == nil)
    }

    @Test func aClockThatIsSetInMidRunGivesUpNothing() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        let app = world.app()
        world.setClock(by: .seconds(7_200))
        #expect(app.runs.count == 1)
        world.pass(.seconds(30))
        #expect(app.runs.count == 1)
        world.pass(.seconds(10))
        #expect(try world.task().last?.outcome == .overran)
    }

    /// The service dies at every point between schedule and answer. The app lives, reconnects, and repeats its report.
    @Test func theServiceMayDieAtEveryStepAndTheAppRunsOnce() throws {
        var deaths = 0
        for step in 0..<200 {
            guard try survive(death: step, appDiesToo: false) else { break }
            deaths += 1
        }
        #expect(deaths >= 11)
    }

    /// Both die at every point. A run without an answer is repeated; no task is lost, and the next time is set.
    @Test func bothMayDieAtEveryStepAndTheTaskIsRun() throws {
        var deaths = 0
        for step in 0..<200 {
            guard try survive(death: step, appDiesToo: true) else { break }
            deaths += 1
        }
        #expect(deaths >= 11)
    }

    /// One life of a daily task, with a death at a step. Returns whether there was such a step.
    private func survive(death: Int, appDiesToo: Bool) throws -> Bool {
        let world = try TaskWorld()
        let steps = Mutex(0)
        let died = Mutex(false)
        let survives: @Sendable (LoopPoint) -> Bool = { _ in
            let step = steps.withLock { steps in
                defer { steps += 1 }
                return steps
            }
            if step == death { died.withLock { $0 = true } }
            return step != death
        }
        try world.reopen(survives: survives)
        var executed: [Int64] = []
        var unanswered: BackgroundTaskRun?
        var app: TaskWorld.App?
        var starts = 0
        world.submit(.appRefresh(TaskWorld.noon, repeats: .daily(hour: 12)))
        // The app submits until it knows that the request is stored.
        for _ in 0..<200 where try !isServed(world) {
            if died.withLock({ $0 }), world.loop.loop.isDead {
                try world.reopen()
                if appDiesToo { unanswered = nil }
                app = nil
                if try world.page().tasks.isEmpty {
                    world.submit(.appRefresh(TaskWorld.noon, repeats: .daily(hour: 12)))
                }
            }
            // A dead app reconnects when it is started; a live one reconnects automatically.
            if app == nil, unanswered != nil || world.wakes.all.count > starts {
                starts = world.wakes.all.count
                world.loop.turn([.wakeEnded(WakeReport(.started))])
                app = world.app(claims: unanswered.map { [$0.claim] } ?? [])
            }
            if let run = app?.runs.first, unanswered == nil, executed.last != run.number {
                executed.append(run.number)
                unanswered = run
            }
            if let run = unanswered {
                if world.send(.taskReturned(TaskReturn(claim: run.claim, outcome: .succeeded))) == .taskDone {
                    unanswered = nil
                }
            }
            world.pass(.seconds(1_800))
        }
        let task = try world.task()
        #expect(task.last?.outcome == .succeeded, "death \(death)")
        #expect(executed.count == 1 || appDiesToo && executed.count == 2, "death \(death): \(executed)")
        let next = try #require(task.nextDate)
        #expect(next.seconds % 86_400 == 43_200 && task.request?.repeats != nil)
        return died.withLock { $0 }
    }

    private func isServed(_ world: TaskWorld) throws -> Bool {
        guard !world.loop.loop.isDead else { return false }
        return try world.page().tasks.first?.last?.outcome == .succeeded
    }

    @Test func aFullDiskForgetsNoRun() throws {
        world.submit(.appRefresh(TaskWorld.noon))
        world.loop.loop.state.store.writesLeft = 0
        let app = world.app()
        #expect(app.orders.all.isEmpty)
        #expect(world.send(.submitTask(.appRefresh("b"))).isFailure)
        world.loop.loop.state.store.writesLeft = nil
        world.pass(.seconds(2))
        #expect(app.runs.count == 1)
        world.loop.loop.state.store.writesLeft = 0
        world.detach(app)
        world.loop.loop.state.store.writesLeft = nil
        world.pass(.seconds(2))
        #expect(try world.task().last?.outcome == .lost)
    }
}

extension SessionReply? {
    fileprivate var isFailure: Bool { if case .failed? = self { true } else { false } }
}
