/// A time zone: the offset from UTC at each instant.
package struct TimeZoneRules: Sendable {
    /// Seconds east of Greenwich at an instant.
    package var offset: @Sendable (WallTime) -> Int

    package init(offset: @escaping @Sendable (WallTime) -> Int) {
        self.offset = offset
    }

    /// Coordinated Universal Time.
    package static let utc = TimeZoneRules { _ in 0 }
}

/// A local date, as the number of days since 1970-01-01.
package struct LocalDay: Equatable, Comparable, Sendable {
    package var number: Int

    package init(_ number: Int) {
        self.number = number
    }

    /// Initializes the local date at an instant.
    package init(of instant: WallTime, in zone: TimeZoneRules) {
        let local = instant.seconds + Int64(zone.offset(instant))
        number = Int(local.dividedDown(by: 86_400))
    }

    package static func < (left: LocalDay, right: LocalDay) -> Bool { left.number < right.number }

    var weekday: CalendarRule.Weekday {
        // 1970-01-01 was a Thursday.
        let index = (number % 7 + 7 + 4) % 7
        guard let weekday = CalendarRule.Weekday(wireNumber: index) else { preconditionFailure("no weekday \(index)") }
        return weekday
    }
}

extension CalendarRule {
    /// Returns the next occurrence: on a date after `done`, and neither before `notBefore` nor before now.
    ///
    /// A `done` beyond tomorrow was stored while the clock was wrong and does not count: a task must not wait for a year from a
    /// wrong clock.
    package func next(
        after done: LocalDay?, notBefore: WallTime, now: WallTime, in zone: TimeZoneRules
    ) -> WallTime {
        let earliest = max(notBefore, now)
        var day = LocalDay(of: earliest, in: zone)
        if let done, done.number <= LocalDay(of: now, in: zone).number + 1 { day = max(day, LocalDay(done.number + 1)) }
        while true {
            if weekdays.contains(day.weekday), case let date = instant(on: day, in: zone), date >= earliest {
                return date
            }
            day = LocalDay(day.number + 1)
        }
    }

    /// Returns the last local date whose time has passed by now.
    package func lastDay(by now: WallTime, in zone: TimeZoneRules) -> LocalDay {
        let today = LocalDay(of: now, in: zone)
        return instant(on: today, in: zone) <= now ? today : LocalDay(today.number - 1)
    }

    /// Returns the instant at which clocks show the time on a date.
    package func instant(on day: LocalDay, in zone: TimeZoneRules) -> WallTime {
        let local = Int64(day.number) * 86_400 + Int64(hour * 3_600 + minute * 60)
        // No zone is a day away from UTC, and clocks do not change twice in two days.
        let before = Int64(zone.offset(WallTime(seconds: local - 86_400)))
        let after = Int64(zone.offset(WallTime(seconds: local + 86_400)))
        let candidates = [local - before, local - after].sorted()
        for candidate in candidates where candidate + Int64(zone.offset(WallTime(seconds: candidate))) == local {
            return WallTime(seconds: candidate)
        }
        // The clocks skip this time: use the first second after the change.
        var (low, high) = (candidates[0], candidates[1])
        while low < high {
            let middle = low + (high - low) / 2
            if Int64(zone.offset(WallTime(seconds: middle))) == after { high = middle } else { low = middle + 1 }
        }
        return WallTime(seconds: low)
    }
}
