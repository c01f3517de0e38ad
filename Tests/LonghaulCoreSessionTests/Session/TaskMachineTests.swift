import LonghaulCore
import Testing

@Suite struct TaskMachineTests {
    private static let noon = "noon"
    private var session = SessionFixture()

    private mutating func submit(_ name: String = noon, in span: Duration = .zero) {
        session.feed(name, .submitted(.appRefresh(name, earliestBeginDate: session.now + span)))
    }

    private mutating func join(_ number: UInt64, _ names: [String] = [noon], claims: [TaskClaim] = []) {
        session.feed(.runnerAdded(WatchToken(number: number), TaskRunner(identifiers: names, claims: claims)))
    }

    private func told(_ effects: [SessionEffect]) -> [[String]] {
        effects.compactMap {
            if case .notifyRunner(_, let assignments) = $0 { assignments.runs.map(\.request.identifier) } else { nil }
        }
    }

    private func run(_ name: String = noon) -> BackgroundTaskRun? { session.tasks[name]?.run }

    @Test mutating func aTaskWaitsForItsDateAndThenForItsApp() {
        submit(in: .seconds(60))
        session.advance()
        #expect(session.machine.nextDate(at: session.now) == session.now + .seconds(60))
        session.now = session.now + .seconds(60)
        session.advance()
        #expect(session.machine.tasks.waitingForApp?.identifier == Self.noon && run() == nil)
        join(5)
        session.advance()
        #expect(run()?.number == 1 && told(session.endTurn()) == [[Self.noon]])
        #expect(told(session.endTurn()).isEmpty, "it knows")
    }

    @Test mutating func concurrentRunsAreLimitedBySettings() {
        var settings = BackgroundTaskSettings()
        settings.concurrentRuns = 1
        session.feed(.taskSettingsChanged(settings))
        submit("a")
        submit("b")
        join(5, ["a", "b"])
        session.advance()
        #expect(run("a") != nil && run("b") == nil)
        guard case .notifyRunner(_, let assignments)? = session.endTurn().first else { return #expect(Bool(false)) }
        #expect(assignments.hasMore)
        session.feed(.taskReturned(TaskReturn(claim: TaskClaim(identifier: "a", number: 1), outcome: .succeeded)))
        session.advance()
        #expect(run("a") == nil && run("b") != nil)
    }

    @Test mutating func aRunIsLostWithItsProcessAndOwedAgain() {
        submit()
        join(5)
        session.advance()
        session.feed(.detached(WatchToken(number: 5)))
        #expect(run() == nil && session.tasks[Self.noon]?.owed != nil)
        #expect(session.machine.tasks.throttle.strikes == 1)
    }

    @Test mutating func aProcessThatComesBackKeepsItsRun() throws {
        submit()
        join(5)
        session.advance()
        var tasks = TaskMachine()
        tasks.load(try #require(session.tasks[Self.noon]), at: session.now)
        session.machine = SessionMachine(session.machine.host, openedAt: session.now, tasks: tasks)
        join(6, claims: [TaskClaim(identifier: Self.noon, number: 1)])
        #expect(run()?.number == 1 && told(session.endTurn()) == [[Self.noon]])
    }

    @Test mutating func aRunThatOverrunsIsGivenUpAndItsHandlerIsNotTrustedWithAnother() throws {
        submit()
        join(5)
        session.advance()
        let run = try #require(self.run())
        session.now = session.now + run.budget + run.grace + .seconds(1)
        submit()
        session.advance()
        #expect(self.run() == nil && session.tasks[Self.noon]?.last?.outcome == .overran)
        let page = session.machine.taskPage(
            session.tasks.values, hasMore: false, at: session.now + .seconds(86_400))
        #expect(page.tasks.first?.hold == .stillRunning)
    }

    @Test mutating func taskHoldIsReportedAsDecided() {
        let request = BackgroundTaskRequest.processing(Self.noon, requiresExternalPower: true)
        session.feed(Self.noon, .submitted(request))
        join(5)
        var around = Surroundings()
        around.conditions.hasExternalPower = false
        session.feed(.surroundingsChanged(around))
        session.advance()
        #expect(run() == nil)
        let page = session.machine.taskPage(
            session.tasks.values, hasMore: false, at: session.now)
        #expect(page.tasks.first?.hold == .power)
    }

    @Test mutating func tooManyRequestsAreRefusedAndOneThatReplacesIsNot() {
        let limit = session.machine.tasks.settings.limit(of: .appRefresh)
        for number in 0..<limit { submit("task\(number)", in: .seconds(60)) }
        guard case .refuse(let failure)? = session.feed("more", .submitted(.appRefresh("more"))).first else {
            return #expect(Bool(false))
        }
        #expect(failure.code == .tooManyPendingTaskRequests && session.tasks.count == limit)
        #expect(session.feed("task0", .submitted(.appRefresh("task0"))).isEmpty)
    }

    @Test mutating func aHandlerThatReturnsInTimeMakesTheNextStartSooner() {
        session.feed(
            .wakeRegistered(
                WakeRegistration(
                    .systemdUnit("a.service"), backoff: WakeBackoff(first: .seconds(30), longest: .seconds(100)))))
        submit()
        session.now = session.now + .seconds(60)
        session.advance()
        _ = session.endTurn()
        #expect(session.machine.waking.record.unanswered == 1)
        join(5)
        session.advance()
        session.feed(.taskReturned(TaskReturn(claim: TaskClaim(identifier: Self.noon, number: 1), outcome: .succeeded)))
        #expect(session.machine.waking.record.unanswered == 0)
    }
}
