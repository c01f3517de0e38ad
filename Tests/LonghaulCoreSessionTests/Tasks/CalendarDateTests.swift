import LonghaulCore
import Testing

/// Time zones with clock changes, as tables of their local times.
private enum Place {
    /// Berlin: an hour forward on 2026-03-29 at 01:00 UTC, back on 2026-10-25 at 01:00 UTC.
    static let berlin = table(3_600, [(1_774_746_000, 7_200), (1_792_890_000, 3_600)])
    /// Apia skipped 2011-12-30, and moved to the other side of the date line, at 10:00 UTC of that day.
    static let apia = table(-36_000, [(1_325_239_200, 50_400)])
    static let newYork = table(-18_000, [])
    static let tokyo = table(32_400, [])

    private static func table(_ first: Int, _ changes: [(at: Int64, offset: Int)]) -> TimeZoneRules {
        TimeZoneRules { instant in changes.last { $0.at <= instant.seconds }?.offset ?? first }
    }
}

private func utc(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0
) -> WallTime {
    WallTime(
        seconds: CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
            .secondsSince1970)
}

private func day(_ year: Int, _ month: Int, _ day: Int) -> LocalDay {
    LocalDay(of: utc(year, month, day), in: .utc)
}

@Suite struct CalendarDateTests {
    private static let noon = CalendarRule.daily(hour: 12)

    @Test func noonIsTodayUntilItHasComeAndThenTomorrow() {
        let zone = Place.berlin
        func next(_ now: WallTime, after done: LocalDay? = nil) -> WallTime {
            Self.noon.next(after: done, notBefore: now, now: now, in: zone)
        }
        #expect(next(utc(2026, 1, 10, 8)) == utc(2026, 1, 10, 11))
        #expect(next(utc(2026, 1, 10, 11)) == utc(2026, 1, 10, 11))
        #expect(next(utc(2026, 1, 10, 11), after: day(2026, 1, 10)) == utc(2026, 1, 11, 11))
        #expect(next(utc(2026, 1, 10, 11, 0, 1)) == utc(2026, 1, 11, 11))
    }

    @Test func theTimeOfDayStaysWhenClocksAreChanged() {
        let zone = Place.berlin
        #expect(Self.noon.instant(on: day(2026, 3, 28), in: zone) == utc(2026, 3, 28, 11))
        #expect(Self.noon.instant(on: day(2026, 3, 29), in: zone) == utc(2026, 3, 29, 10))
        #expect(Self.noon.instant(on: day(2026, 10, 24), in: zone) == utc(2026, 10, 24, 10))
        #expect(Self.noon.instant(on: day(2026, 10, 25), in: zone) == utc(2026, 10, 25, 11))
    }

    @Test(arguments: [(2, 0), (2, 30), (2, 59)])
    func aTimeThatIsJumpedOverComesAfterTheJump(hour: Int, minute: Int) {
        let rule = CalendarRule.daily(hour: hour, minute: minute)
        #expect(rule.instant(on: day(2026, 3, 29), in: Place.berlin) == utc(2026, 3, 29, 1))
        #expect(rule.instant(on: day(2026, 3, 30), in: Place.berlin) == utc(2026, 3, 30, hour - 2, minute))
    }

    @Test func aTimeThatComesTwiceCountsTheFirstTime() {
        let rule = CalendarRule.daily(hour: 2, minute: 30)
        let first = rule.instant(on: day(2026, 10, 25), in: Place.berlin)
        #expect(first == utc(2026, 10, 25, 0, 30))
        // It was due; the second 02:30 of the night is not one of its times.
        let next = rule.next(after: day(2026, 10, 25), notBefore: first, now: first, in: Place.berlin)
        #expect(next == utc(2026, 10, 26, 1, 30))
    }

    @Test func aDateThatDoesNotExistComesAtItsEnd() {
        #expect(Self.noon.instant(on: day(2011, 12, 29), in: Place.apia) == utc(2011, 12, 29, 22))
        #expect(Self.noon.instant(on: day(2011, 12, 30), in: Place.apia) == utc(2011, 12, 30, 10))
        #expect(Self.noon.instant(on: day(2011, 12, 31), in: Place.apia) == utc(2011, 12, 30, 22))
    }

    @Test func weekdaysAreThoseOfTheLocalDate() {
        let rule = CalendarRule.weekly(on: [.monday, .friday], hour: 6)
        // Thursday 2026-01-01, 23:00 in London is Friday in Tokyo.
        #expect(
            rule.next(after: nil, notBefore: utc(2026, 1, 1, 23), now: utc(2026, 1, 1, 23), in: .utc)
                == utc(2026, 1, 2, 6))
        let there = rule.next(
            after: nil, notBefore: utc(2026, 1, 1, 20), now: utc(2026, 1, 1, 20), in: Place.tokyo)
        #expect(there == utc(2026, 1, 1, 21))
        #expect(
            rule.next(after: day(2026, 1, 2), notBefore: utc(2026, 1, 2, 7), now: utc(2026, 1, 2, 7), in: .utc)
                == utc(2026, 1, 5, 6))
    }

    @Test func aDateIsServedOnceWhereverTheMachineGoes() {
        // Done in Tokyo; at six in the morning of the same date in New York, it is not due again.
        let now = utc(2026, 1, 10, 11)
        let next = Self.noon.next(after: day(2026, 1, 10), notBefore: now, now: now, in: Place.newYork)
        #expect(next == utc(2026, 1, 11, 17))
    }

    @Test func aClockThatWasSetBackServesNoDateTwice() {
        for hours in [1, 6, 11] as [Int64] {
            let now = utc(2026, 1, 10, 12) + .seconds(-3_600 * hours)
            let next = Self.noon.next(after: day(2026, 1, 10), notBefore: now, now: now, in: .utc)
            #expect(next == utc(2026, 1, 11, 12), "\(hours) hours back")
        }
    }

    @Test func aClockThatWasWrongByYearsHoldsNothingBack() {
        let now = utc(2026, 1, 10, 8)
        #expect(Self.noon.next(after: day(2035, 6, 1), notBefore: now, now: now, in: .utc) == utc(2026, 1, 10, 12))
    }

    @Test func missedDaysAreOne() {
        let now = utc(2026, 1, 10, 18)
        #expect(Self.noon.lastDay(by: now, in: .utc) == day(2026, 1, 10))
        #expect(Self.noon.lastDay(by: utc(2026, 1, 10, 8), in: .utc) == day(2026, 1, 9))
        #expect(
            Self.noon.next(after: day(2026, 1, 10), notBefore: utc(2026, 1, 1), now: now, in: .utc)
                == utc(2026, 1, 11, 12))
    }

    @Test func everyHourOfTwoYearsHasANextDateThatShowsTheTime() {
        for zone in [Place.berlin, .utc, Place.tokyo, Place.newYork] {
            let rule = CalendarRule.daily(hour: 2, minute: 30)
            var now = utc(2025, 12, 1)
            while now < utc(2027, 12, 1) {
                let next = rule.next(after: nil, notBefore: now, now: now, in: zone)
                let shown = (next.seconds + Int64(zone.offset(next))) % 86_400
                #expect(next >= now && next - now <= .seconds(25 * 3_600))
                #expect(shown == 9_000 || next == utc(2026, 3, 29, 1))
                now = now + .seconds(3_600)
            }
        }
    }
}
