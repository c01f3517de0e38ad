/// A part of every day by local time, such as 22:00 to 06:00. It follows the time zone and summer time.
///
/// ```swift
/// rules.conditions.hours = TimeWindow(fromHour: 22, toHour: 6)
/// ```
public struct TimeWindow: Equatable, Sendable {
    /// The start in minutes after midnight.
    package var from: Int
    /// The end in minutes after midnight. An end that is not after the start is on the next day.
    package var to: Int

    package init(from: Int, to: Int) {
        self.from = from
        self.to = to
    }

    /// Creates a window from hours (0 to 23) and minutes (0 to 59). The end is excluded; if it is not after the start, it is on the
    /// next day.
    ///
    /// A call that takes a window with equal ends, or with times that do not exist, fails with `invalidArgument`.
    public init(fromHour: Int, fromMinute: Int = 0, toHour: Int, toMinute: Int = 0) {
        self.init(
            from: Self.minutes(fromHour, fromMinute) ?? -1, to: Self.minutes(toHour, toMinute) ?? -1)
    }

    /// The hour and minute of the start.
    public var start: (hour: Int, minute: Int) { (from / 60, from % 60) }

    /// The hour and minute of the end.
    public var end: (hour: Int, minute: Int) { (to / 60, to % 60) }

    /// Returns whether a minute of the day is in the window.
    package func contains(minute: Int) -> Bool {
        from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// Whether both ends are times of day, and not the same.
    package var isValid: Bool { (0..<1440).contains(from) && (0..<1440).contains(to) && from != to }

    private static func minutes(_ hour: Int, _ minute: Int) -> Int? {
        (0..<24).contains(hour) && (0..<60).contains(minute) ? hour * 60 + minute : nil
    }
}

extension Set<CalendarRule.Weekday> {
    /// Monday to Friday.
    package static let workdays: Self = [.monday, .tuesday, .wednesday, .thursday, .friday]
    /// Saturday and Sunday.
    package static let weekend: Self = [.saturday, .sunday]
    /// All seven days.
    package static let everyDay = Self(CalendarRule.Weekday.allCases)
}

extension CalendarRule.Weekday {
    /// The days in the order of ISO 8601, Monday first.
    package static let isoOrder: [Self] = [.monday, .tuesday, .wednesday, .thursday, .friday, .saturday, .sunday]

    /// The day before.
    var previous: Self { Self.isoOrder[((Self.isoOrder.firstIndex(of: self) ?? 0) + 6) % 7] }
}
