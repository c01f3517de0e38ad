import LonghaulCore
import Synchronization
import TestSupport
import Testing

@testable import LonghaulRuntime

/// Times, conditions, and the app, as the loop sees them.
@Suite struct TaskTests {
    private let world: TaskWorld

    init() throws {
        world = try TaskWorld()
    }

    private func date(in span: Duration) -> WallTime { world.time.now + span }

    @Test func aDeadAppIsStartedWhenATaskIsDueAndGivenTheRun() throws {
        world.submit(.appRefresh(TaskWorld.noon, earliestBeginDate: date(in: .seconds(3_600))))
        #expect(world.loop.loop.nextAlarm() == date(in: .seconds(3_600)))
        #expect(world.loop.loop.state.activity.hasLiveWork)
        world.pass(.seconds(3_599))
        #expect(world.wakes.all.isEmpty)
        #expect(try world.task().hold == .date)
        world.pass(.seconds(1))
        let order = try #require(world.wakes.all.first)
        #expect(order.request.reason == .backgroundTask && order.request.task == TaskWorld.noon)
        #expect(try world.task().hold == .app)
        world.loop.turn([.wakeEnded(WakeReport(.started))])
        let app = world.app()
        let run = try #require(app.runs.first)
        #expect(run.request.identifier == TaskWorld.noon && run.attempt == 1 && run.budget == .seconds(30))
        world.finish(run)
        #expect(app.orders.all.last == TaskAssignments())
        #expect(try world.task().last?.outcome == .succeeded)
        #expect(world.wakes.all.count == 1 && world.loop.loop.nextAlarm() == nil)
        #expect(!world.loop.loop.state.activity.hasLiveWork)
    }

    @Test func theServiceMayEndBetweenScheduleAndDate() throws {
        world.submit(.appRefresh(TaskWorld.noon, earliestBeginDate: date(in: .seconds(3_600))))
        try world.reopen()
        #expect(world.loop.loop.nextAlarm() == date(in: .seconds(3_600)))
        // The time is missed while no process is running.
        world.time.advance(by: .seconds(90_000))
        try world.reopen(boot: "another")
        #expect(world.wakes.all.map(\.request.task) == [TaskWorld.noon])
    }

    @Test func aClockThatIsSetRunsADateOnceAndLate() throws {
        world.submit(.appRefresh(TaskWorld.noon, earliestBeginDate: date(in: .seconds(3_600))))
        world.setClock(by: .seconds(-7_200))
        #expect(world.wakes.all.isEmpty)
        world.setClock(by: .seconds(5 * 3_600))
        #expect(world.wakes.all.count == 1)
        let app = world.app()
        world.finish(try #require(app.runs.first))
        world.setClock(by: .seconds(-5 * 3_600))
        world.pass(.seconds(6 * 3_600))
        #expect(app.orders.all.flatMap(\.runs).count == 1)
    }

    @Test func aDailyTaskRunsOnceADayWhateverTheClockDoes() throws {
        let app = world.app()
        world.submit(.appRefresh(TaskWorld.noon, repeats: .daily(hour: 12)))
        var days: [LocalDay] = []
        let jumps: [Int64] = [0, 3, -3, 9, -9, 11, -11, 0, 26, 1, -1]
        for jump in jumps {
            for _ in 0..<24 {
                world.pass(.seconds(3_600))
                guard let run = app.runs.first else { continue }
                days.append(LocalDay(of: run.startedAt, in: .utc))
                world.finish(run)
            }
            world.setClock(by: .seconds(3_600 * jump))
        }
        #expect(days.count >= jumps.count - 2)
        #expect(Set(days.map(\.number)).count == days.count, "no date twice: \(days)")
    }

    @Test func aTaskThatRequiresANetworkWaitsForOne() throws {
        world.setNetwork(.none)
        world.submit(.appRefresh(TaskWorld.noon, requiresNetworkConnectivity: true))
        world.submit(.processing("other"))
        #expect(try world.task().hold == .network)
        #expect(world.wakes.all.map(\.request.task) == ["other"])
        let app = world.app([TaskWorld.noon, "other"])
        #expect(app.runs.map(\.request.identifier) == ["other"])
        world.setNetwork(.reachable)
        world.loop.turn([.networkReturned])
        #expect(app.runs.map(\.request.identifier) == [TaskWorld.noon, "other"])
    }

    @Test func replacedAndCancelledTasksDoNotRun() throws {
        let app = world.app([TaskWorld.noon, "b"])
        world.submit(.appRefresh(TaskWorld.noon, earliestBeginDate: date(in: .seconds(60))))
        world.submit(.appRefresh(TaskWorld.noon, earliestBeginDate: date(in: .seconds(600))))
        world.submit(.appRefresh("b", earliestBeginDate: date(in: .seconds(60))))
        world.send(.cancelTask("b"))
        world.pass(.seconds(120))
        #expect(app.runs.isEmpty)
        #expect(try world.page().tasks.map(\.identifier) == [TaskWorld.noon])
        world.pass(.seconds(480))
        #expect(app.runs.count == 1)
        world.finish(app.runs[0])
        for name in ["c", "d"] { world.submit(.processing(name, earliestBeginDate: date(in: .seconds(60)))) }
        world.send(.cancelAllTasks)
        world.pass(.seconds(120))
        #expect(world.loop.loop.nextAlarm() == nil)
    }

    @Test func aForcedRunWaitsForNothingButTheApp() throws {
        world.setNetwork(.none)
        world.submit(
            .appRefresh(TaskWorld.noon, earliestBeginDate: date(in: .seconds(9_000)), requiresNetworkConnectivity: true)
        )
        #expect(world.send(.forceTask(TaskWorld.noon)) == .taskDone)
        #expect(world.wakes.all.count == 1)
        #expect(world.app().runs.count == 1)
        guard case .failed(let failure)? = world.send(.forceTask("nothing")) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.code == .unknownTask)
    }

    @Test func handlersTakeTurns() throws {
        var settings = BackgroundTaskSettings()
        settings.concurrentRuns = 2
        world.send(.setTaskSettings(settings))
        for name in ["a", "b", "c"] { world.submit(.appRefresh(name)) }
        let app = world.app(["a", "b", "c"])
        #expect(app.orders.all.last?.hasMore == true && app.runs.count == 2)
        #expect(try world.task("c").hold == .turn)
        world.finish(app.runs[0])
        #expect(app.orders.all.last?.hasMore == false && app.runs.map(\.request.identifier) == ["b", "c"])
    }

    @Test func appleLimitsAreASwitch() throws {
        for name in ["a", "b"] { world.submit(.appRefresh(name, earliestBeginDate: date(in: .seconds(60)))) }
        var settings = BackgroundTaskSettings()
        settings.enforcesAppleLimits = true
        world.send(.setTaskSettings(settings))
        world.send(.cancelTask("b"))
        guard case .failed(let failure)? = world.send(.submitTask(.appRefresh("c"))) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.code == .tooManyPendingTaskRequests)
        // Replacing a request does not increase the number.
        #expect(world.send(.submitTask(.appRefresh("a"))) == .taskDone)
        let far = date(in: .seconds(6_000))
        for number in 0..<10 {
            #expect(world.send(.submitTask(.processing("p\(number)", earliestBeginDate: far))) == .taskDone)
        }
        guard case .failed? = world.send(.submitTask(.processing("p10"))) else {
            Issue.record("no failure")
            return
        }
    }

    @Test func attachedAppWithoutHandlerIsNotLaunched() throws {
        let token = WatchToken(number: 1)
        world.loop.turn([.attach(token, observer: { _ in })])
        world.submit(.appRefresh(TaskWorld.noon))
        #expect(try world.task().hold == .handler)
        #expect(world.wakes.all.isEmpty)
        world.loop.turn([.unwatch(token)])
        #expect(world.wakes.all.count == 1)
    }

    @Test func tenThousandRequestsHaveOneAlarm() throws {
        for number in 0..<10_000 {
            world.submit(.appRefresh("t\(number)", earliestBeginDate: date(in: .seconds(3_600 + Int64(number)))))
        }
        #expect(world.loop.loop.nextAlarm() == date(in: .seconds(3_600)))
        try world.reopen()
        #expect(world.loop.loop.nextAlarm() == date(in: .seconds(3_600)))
        #expect(try world.page().hasMore)
        guard case .tasks(let second)? = world.send(.tasks(after: try world.page().tasks.last?.identifier)) else {
            Issue.record("no page")
            return
        }
        #expect(second.tasks.count == 1_000)
    }

    @Test func onlyTheLastHundredIdleTasksAreRemembered() throws {
        var names: [String] = []
        for number in 0..<150 {
            names.append("t\(number)")
            world.submit(.appRefresh(names[number]))
        }
        let app = world.app(names)
        while let run = app.runs.first {
            world.time.advance(by: .milliseconds(1))
            world.finish(run)
        }
        #expect(try world.page().tasks.count == 100)
    }
}
