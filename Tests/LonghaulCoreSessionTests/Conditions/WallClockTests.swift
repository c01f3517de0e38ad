import LonghaulCore
import Testing

/// Days and hours by the clock on the wall, through changes of the zone and of summer time.
@Suite struct WallClockTests {
    /// 2026-03-29 01:00 UTC: Berlin changes from UTC+1 to UTC+2.
    private static let spring = WallTime(seconds: 1_774_746_000)
    /// 2026-10-25 01:00 UTC: and back.
    private static let autumn = WallTime(seconds: 1_792_890_000)
    private static let berlin = TimeZoneRules { $0 >= spring && $0 < autumn ? 7_200 : 3_600 }

    @Test func theMinuteAndTheDayAreLocalOnes() {
        // 2026-03-28 23:30 UTC is half past midnight of Sunday in Berlin.
        let date = Self.spring + .seconds(-5_400)
        #expect(Self.berlin.minute(of: date) == 30)
        #expect(Self.berlin.weekday(of: date) == .sunday)
        #expect(TimeZoneRules.utc.weekday(of: date) == .saturday)
        #expect(TimeZoneRules.utc.weekday(of: WallTime(seconds: -1)) == .wednesday)
        #expect(TimeZoneRules.utc.minute(of: WallTime(seconds: -60)) == 1_439)
    }

    @Test func theNextTimeOfDayIsFoundThroughBothChanges() {
        let six = 6 * 60
        let beforeSpring = Self.spring + .seconds(-7_200)
        #expect(Self.berlin.next(minute: six, after: beforeSpring) == Self.spring + .seconds(3 * 3_600))
        let beforeAutumn = Self.autumn + .seconds(-7_200)
        #expect(Self.berlin.next(minute: six, after: beforeAutumn) == Self.autumn + .seconds(4 * 3_600))
        // A time that the change skips is due when the clock has passed it.
        let skipped = Self.berlin.next(minute: 150, after: beforeSpring)
        #expect(skipped >= Self.spring && skipped <= Self.spring + .seconds(3_600))
    }

    @Test func everyMomentHasANextOneForEveryMinute() {
        for hour in 0..<100 as Range<Int64> {
            let now = Self.spring + .seconds((hour - 50) * 3_600)
            for minute in stride(from: 0, to: 1_440, by: 37) {
                let next = Self.berlin.next(minute: minute, after: now)
                #expect(next > now && next - now <= .seconds(25 * 3_600))
            }
        }
    }

    @Test func aMonthBeginsAtLocalMidnight() {
        let april = Self.berlin.month(of: Self.spring) + 1
        // 2026-03-31 22:00 UTC.
        #expect(Self.berlin.start(ofMonth: april) == WallTime(seconds: 1_774_994_400))
        #expect(TimeZoneRules.utc.month(of: WallTime(seconds: 0)) == 1970 * 12)
    }
}
