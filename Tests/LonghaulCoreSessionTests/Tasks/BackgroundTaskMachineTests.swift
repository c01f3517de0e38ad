import LonghaulCore
import Testing

@Suite struct BackgroundTaskMachineTests {
    private static let start = WallTime(seconds: 1_767_225_600)  // 2026-01-01 00:00 UTC, a Thursday.
    private var settings = BackgroundTaskSettings()

    private func machine(_ request: BackgroundTaskRequest, at now: WallTime = start) -> BackgroundTaskMachine {
        var machine = BackgroundTaskMachine(BackgroundTaskRecord(identifier: request.identifier))
        _ = machine.handle(.submitted(request), at: now, in: .utc)
        return machine
    }

    private func hours(_ count: Int64) -> WallTime { Self.start + .seconds(3_600 * count) }

    private func back(_ number: Int64, _ outcome: BackgroundTaskResult.Outcome = .succeeded)
        -> BackgroundTaskMachine.Event
    {
        .returned(TaskReturn(claim: TaskClaim(identifier: "a", number: number), outcome: outcome))
    }

    private var began: BackgroundTaskMachine.Event { .began(settings, bootID: "boot") }

    @Test func aRequestRunsOnceAndIsDone() throws {
        var machine = machine(.appRefresh("a", earliestBeginDate: hours(5)))
        #expect(machine.record.date == hours(5))
        _ = machine.handle(began, at: hours(6), in: .utc)
        let run = try #require(machine.record.run)
        #expect(run.number == 1 && run.attempt == 1 && run.budget == .seconds(30) && machine.record.pending == nil)
        #expect(machine.handle(back(1), at: hours(6) + .seconds(2), in: .utc) == .good)
        #expect(machine.record.isIdle && machine.record.last?.outcome == .succeeded)
        // Reported twice.
        let before = machine
        #expect(machine.handle(back(1, .failed), at: hours(7), in: .utc) == .unchanged)
        #expect(machine == before)
    }

    @Test func anotherRequestReplacesWhatIsPendingAlsoWhileARunIsUnderWay() {
        var machine = machine(.appRefresh("a", earliestBeginDate: hours(5)))
        _ = machine.handle(.submitted(.processing("a", earliestBeginDate: hours(2))), at: Self.start, in: .utc)
        #expect(machine.record.date == hours(2))
        _ = machine.handle(began, at: hours(2), in: .utc)
        _ = machine.handle(.submitted(.appRefresh("a", earliestBeginDate: hours(26))), at: hours(2), in: .utc)
        _ = machine.handle(back(1), at: hours(3), in: .utc)
        #expect(machine.record.date == hours(26) && machine.record.run == nil)
        _ = machine.handle(.cancelled, at: hours(4), in: .utc)
        #expect(machine.record.isIdle)
    }

    @Test func calendarTaskRepeatsAndRunsMissedDatesOnce() {
        var machine = machine(.appRefresh("a", repeats: .daily(hour: 12)))
        #expect(machine.record.date == hours(12))
        // Four noons were missed.
        _ = machine.handle(began, at: hours(12 + 24 * 3 + 5), in: .utc)
        #expect(machine.record.pending?.date == hours(12 + 24 * 4))
        _ = machine.handle(back(1, .failed), at: hours(12 + 24 * 3 + 5), in: .utc)
        #expect(machine.record.date == hours(12 + 24 * 4))
    }

    @Test func aLostRunIsOwedThreeTimesAtMost() {
        var machine = machine(.appRefresh("a"))
        for attempt in 1...3 {
            _ = machine.handle(began, at: hours(Int64(attempt)), in: .utc)
            #expect(machine.record.run?.attempt == attempt)
            #expect(machine.handle(.lost(bootID: "boot"), at: hours(Int64(attempt)), in: .utc) == .strike)
        }
        #expect(machine.record.isIdle && machine.record.last?.outcome == .lost && machine.record.runs == 3)
    }

    @Test func aPowerCutIsNobodysFault() {
        var machine = machine(.appRefresh("a"))
        _ = machine.handle(began, at: hours(1), in: .utc)
        #expect(machine.handle(.lost(bootID: "another"), at: hours(2), in: .utc) == .unchanged)
        #expect(machine.record.owed != nil)
    }

    @Test func aLateAnswerOfALostRunCountsUnlessItRunsAgain() {
        var machine = machine(.appRefresh("a"))
        _ = machine.handle(began, at: hours(1), in: .utc)
        _ = machine.handle(.lost(bootID: "boot"), at: hours(2), in: .utc)
        var again = machine
        #expect(machine.handle(back(1), at: hours(3), in: .utc) == .good)
        #expect(machine.record.isIdle && machine.record.last?.outcome == .succeeded)
        _ = again.handle(began, at: hours(3), in: .utc)
        #expect(again.handle(back(1), at: hours(4), in: .utc) == .unchanged)
        #expect(again.record.run?.number == 2)
    }

    @Test func aRunThatOverranIsGivenUpAndNotOwed() {
        var machine = machine(.appRefresh("a"))
        _ = machine.handle(began, at: hours(1), in: .utc)
        #expect(machine.handle(.overran, at: hours(2), in: .utc) == .strike)
        #expect(machine.record.isIdle && machine.record.last?.outcome == .overran)
        #expect(machine.handle(.overran, at: hours(2), in: .utc) == .unchanged)
        var told = self.machine(.appRefresh("a"))
        _ = told.handle(began, at: hours(1), in: .utc)
        #expect(told.handle(back(1, .overran), at: hours(2), in: .utc) == .strike)
    }

    @Test func aForcedRunIsBesideTheCalendar() {
        var machine = machine(.appRefresh("a", repeats: .daily(hour: 12)))
        _ = machine.handle(.forced, at: hours(3), in: .utc)
        #expect(machine.record.isForced && machine.record.date == hours(3))
        _ = machine.handle(began, at: hours(3), in: .utc)
        #expect(machine.record.pending?.date == hours(12) && !machine.record.isForced)
    }

    @Test func aChangeOfTheClockMovesDatesOfTheCalendarOnly() {
        var daily = machine(.appRefresh("a", repeats: .daily(hour: 12)), at: hours(24 * 300))
        _ = daily.handle(.clockChanged, at: hours(1), in: .utc)
        #expect(daily.record.date == hours(12))
        // The clock is set past the time: the task is due.
        _ = daily.handle(.clockChanged, at: hours(15), in: .utc)
        #expect(daily.record.date == hours(12))
        var once = machine(.appRefresh("a", earliestBeginDate: hours(50)))
        _ = once.handle(.clockChanged, at: hours(1), in: .utc)
        #expect(once.record.date == hours(50))
    }

    @Test(arguments: ["", "a b", "é", "a\u{7}", String(repeating: "x", count: 256)])
    func anIdentifierThatCannotBeOneIsRefused(identifier: String) {
        #expect(BackgroundTaskRequest.appRefresh(identifier).refusal?.code == .invalidArgument)
    }

    @Test func aTimeThatCannotBeOneIsRefused() {
        let rules: [CalendarRule] = [
            .daily(hour: 24), .daily(hour: 1, minute: 60), .weekly(on: [], hour: 1), .daily(hour: -1),
        ]
        for rule in rules { #expect(BackgroundTaskRequest.appRefresh("a", repeats: rule).refusal != nil) }
        #expect(BackgroundTaskRequest.appRefresh("a", earliestBeginDate: WallTime(microseconds: .max)).refusal != nil)
        #expect(
            BackgroundTaskRequest.appRefresh("org.example.noon", repeats: .daily(hour: 23, minute: 59)).refusal == nil)
        var settings = BackgroundTaskSettings()
        #expect(settings.refusal == nil)
        settings.refreshBudget = .zero
        #expect(settings.refusal?.code == .invalidArgument)
    }
}
