/// Local dates and times.
extension TimeZoneRules {
    /// Returns the local date in days since 1970-01-01.
    package func day(of instant: WallTime) -> Int64 {
        Self.days(localSeconds(instant))
    }

    /// Returns the minutes since midnight.
    package func minute(of instant: WallTime) -> Int {
        let seconds = localSeconds(instant)
        return Int(seconds - Self.days(seconds) * 86_400) / 60
    }

    package func weekday(of instant: WallTime) -> CalendarRule.Weekday {
        // 1970-01-01 was a Thursday.
        let index = ((day(of: instant) + 3) % 7 + 7) % 7
        return CalendarRule.Weekday.isoOrder[Int(index)]
    }

    /// Returns the local month in months since the year 0.
    package func month(of instant: WallTime) -> Int64 {
        let time = CivilTime(secondsSince1970: localSeconds(instant))
        return Int64(time.year * 12 + time.month - 1)
    }

    /// Returns when a minute of a day begins. A minute that daylight saving time skips begins later by the skipped time.
    package func instant(day: Int64, minute: Int) -> WallTime {
        let local = day * 86_400 + Int64(minute) * 60
        let guess = WallTime(seconds: local - Int64(offset(WallTime(seconds: local))))
        return WallTime(seconds: local - Int64(offset(guess)))
    }

    /// Returns when a month begins.
    package func start(ofMonth month: Int64) -> WallTime {
        let civil = CivilTime(
            year: Int(month / 12), month: Int(month % 12) + 1, day: 1, hour: 0, minute: 0, second: 0)
        return instant(day: Self.days(civil.secondsSince1970), minute: 0)
    }

    /// Returns the next time at which clocks show this minute.
    package func next(minute: Int, after now: WallTime) -> WallTime {
        let today = day(of: now)
        for day in today...today + 2 {
            let date = instant(day: day, minute: minute)
            if date > now { return date }
        }
        return now + .seconds(86_400)
    }

    private func localSeconds(_ instant: WallTime) -> Int64 {
        instant.seconds + Int64(offset(instant))
    }

    private static func days(_ seconds: Int64) -> Int64 {
        seconds.dividedDown(by: 86_400)
    }
}
