/// A part of every day by the clock on the wall: from 22:00 to 06:00, say. It moves with the time zone and with summer
/// time.
public struct DayHours: Equatable, Sendable {
    /// When it begins, in minutes after midnight: 0 to 1439.
    public var from: Int
    /// When it ends, in minutes after midnight: 0 to 1439. Not after `from` means on the next day.
    public var to: Int

    /// Takes both ends; the end does not belong to it.
    public init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// Whether this minute of a day lies in it.
    public func contains(minute: Int) -> Bool {
        from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// Whether both ends are times of day, and not the same.
    package var isValid: Bool { (0..<1440).contains(from) && (0..<1440).contains(to) && from != to }
}

/// Days of the week.
public struct Weekdays: OptionSet, Hashable, Sendable {
    /// One bit for each day, Monday first.
    public let rawValue: Int

    /// Takes bits, Monday first.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Monday.
    public static let monday = Weekdays(rawValue: 1)
    /// Tuesday.
    public static let tuesday = Weekdays(rawValue: 2)
    /// Wednesday.
    public static let wednesday = Weekdays(rawValue: 4)
    /// Thursday.
    public static let thursday = Weekdays(rawValue: 8)
    /// Friday.
    public static let friday = Weekdays(rawValue: 16)
    /// Saturday.
    public static let saturday = Weekdays(rawValue: 32)
    /// Sunday.
    public static let sunday = Weekdays(rawValue: 64)
    /// Monday to Friday.
    public static let workdays = Weekdays(rawValue: 31)
    /// Saturday and Sunday.
    public static let weekend = Weekdays(rawValue: 96)
    /// All seven.
    public static let everyDay = Weekdays(rawValue: 127)
}

/// The clock on the wall where the machine is.
package struct LocalZone: Sendable {
    /// Seconds east of Greenwich at an instant.
    package var offset: @Sendable (WallTime) -> Int

    package init(offset: @escaping @Sendable (WallTime) -> Int) {
        self.offset = offset
    }

    package static let utc = LocalZone { _ in 0 }

    /// Days since 1970-01-01, by the local date.
    package func day(of instant: WallTime) -> Int64 {
        Self.days(localSeconds(instant))
    }

    /// Minutes after midnight.
    package func minute(of instant: WallTime) -> Int {
        let seconds = localSeconds(instant)
        return Int(seconds - Self.days(seconds) * 86_400) / 60
    }

    package func weekday(of instant: WallTime) -> Weekdays {
        // 1970-01-01 was a Thursday.
        let index = ((day(of: instant) + 3) % 7 + 7) % 7
        return Weekdays(rawValue: 1 << Int(index))
    }

    /// Months since the year 0, by the local date.
    package func month(of instant: WallTime) -> Int64 {
        let time = CivilTime(secondsSince1970: localSeconds(instant))
        return Int64(time.year * 12 + time.month - 1)
    }

    /// When a day's minute begins. One that a change to summer time skips begins as much later.
    package func instant(day: Int64, minute: Int) -> WallTime {
        let local = day * 86_400 + Int64(minute) * 60
        let guess = WallTime(seconds: local - Int64(offset(WallTime(seconds: local))))
        return WallTime(seconds: local - Int64(offset(guess)))
    }

    /// When a month begins.
    package func start(ofMonth month: Int64) -> WallTime {
        let civil = CivilTime(
            year: Int(month / 12), month: Int(month % 12) + 1, day: 1, hour: 0, minute: 0, second: 0)
        return instant(day: Self.days(civil.secondsSince1970), minute: 0)
    }

    /// When the clock shows this minute the next time.
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
        (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    }
}
