import LonghaulCore
import Testing

@Suite struct TrafficTests {
    /// 1970-01-05 was a Monday.
    private static func monday(_ hour: Int64, day: Int64 = 0) -> WallTime {
        WallTime(seconds: (4 + day) * 86_400 + hour * 3_600)
    }

    @Test func theFirstWindowThatIsOpenCountsInsteadOfTheUsualRate() {
        let office = SessionRules.RateWindow(
            days: .workdays, hours: TimeWindow(from: 9 * 60, to: 17 * 60), rateLimit: 500)
        let lunch = SessionRules.RateWindow(
            days: .everyDay, hours: TimeWindow(from: 12 * 60, to: 13 * 60), rateLimit: nil)
        let limits = TrafficLimits(rateLimit: 2_000, timetable: [lunch, office])
        #expect(limits.rate(at: Self.monday(8), in: .utc) == 2_000)
        #expect(limits.rate(at: Self.monday(9), in: .utc) == 500)
        #expect(limits.rate(at: Self.monday(12), in: .utc) == nil)
        #expect(limits.rate(at: Self.monday(17), in: .utc) == 2_000)
        #expect(limits.rate(at: Self.monday(10, day: 5), in: .utc) == 2_000)
        #expect(limits.nextChange(after: Self.monday(13), in: .utc) == Self.monday(17))
        #expect(TrafficLimits(rateLimit: 1).nextChange(after: Self.monday(1), in: .utc) == nil)
    }

    @Test func aWindowThatPassesMidnightBelongsToTheDayItOpensOn() {
        let night = SessionRules.RateWindow(days: [.friday], hours: TimeWindow(from: 22 * 60, to: 6 * 60), rateLimit: 7)
        let limits = TrafficLimits(timetable: [night])
        #expect(limits.rate(at: Self.monday(23, day: 4), in: .utc) == 7)
        #expect(limits.rate(at: Self.monday(5, day: 5), in: .utc) == 7)
        #expect(limits.rate(at: Self.monday(5, day: 4), in: .utc) == nil)
        #expect(limits.rate(at: Self.monday(6, day: 5), in: .utc) == nil)
        let sunday = SessionRules.RateWindow(
            days: [.sunday], hours: TimeWindow(from: 22 * 60, to: 6 * 60), rateLimit: 7)
        #expect(TrafficLimits(timetable: [sunday]).rate(at: Self.monday(1), in: .utc) == 7)
    }

    @Test func meaninglessLimitsAreRefused() {
        let hours = TimeWindow(from: 60, to: 120)
        let wrong: [TrafficLimits] = [
            TrafficLimits(rateLimit: 0),
            TrafficLimits(timetable: [SessionRules.RateWindow(days: [], hours: hours, rateLimit: 1)]),
            TrafficLimits(timetable: [
                SessionRules.RateWindow(days: [.monday], hours: TimeWindow(from: 60, to: 60), rateLimit: 1)
            ]),
            TrafficLimits(timetable: [SessionRules.RateWindow(days: [.monday], hours: hours, rateLimit: -1)]),
            TrafficLimits(budget: DataBudget(bytesPerDay: -1)),
            TrafficLimits(
                timetable: Array(
                    repeating: SessionRules.RateWindow(days: [.monday], hours: hours, rateLimit: 1), count: 65)),
        ]
        for limits in wrong { #expect(limits.refusal?.code == .invalidArgument) }
        #expect(ConditionRules(hours: TimeWindow(from: 0, to: 1_440)).refusal?.code == .invalidArgument)
        #expect(TrafficLimits(rateLimit: 1, budget: DataBudget(bytesPerDay: 0)).refusal == nil)
    }

    @Test func aBudgetCountsLocalDaysAndMonths() {
        var usage = BudgetUsage()
        let budget = DataBudget(bytesPerDay: 100, bytesPerMonth: 150)
        usage.turn(at: Self.monday(1), in: .utc)
        usage.count(100)
        #expect(usage.remaining(of: budget) == 0)
        #expect(usage.release(of: budget, in: .utc) == Self.monday(24))
        usage.turn(at: Self.monday(1, day: 1), in: .utc)
        #expect(usage.remaining(of: budget) == 50)
        usage.count(50)
        // The month's end is what helps, not tomorrow.
        #expect(usage.release(of: budget, in: .utc) == WallTime(seconds: 31 * 86_400))
        #expect(usage.remaining(of: DataBudget()) == nil)
    }

    @Test func aZoneThatIsCrossedWestwardsOpensNoBudgetTwice() {
        var usage = BudgetUsage()
        usage.turn(at: Self.monday(1), in: .utc)
        usage.count(100)
        usage.turn(at: Self.monday(1), in: TimeZoneRules { _ in -8 * 3_600 })
        #expect(usage.bytesOfDay == 100)
        // A clock that had been a year ahead was wrong: its day is not waited for.
        var wrong = BudgetUsage()
        wrong.turn(at: Self.monday(1, day: 365), in: .utc)
        wrong.count(100)
        wrong.turn(at: Self.monday(1), in: .utc)
        #expect(wrong.bytesOfDay == 0)
    }
}
