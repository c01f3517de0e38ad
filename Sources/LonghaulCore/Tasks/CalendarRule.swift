/// A time of day on some days of the week, by the clock on the wall of wherever the machine is.
///
/// It comes once for each local date. A time that the clocks jump over comes when they have jumped; one that they pass
/// twice comes the first time. When the time zone changes, the same time of day counts there. Days that were missed, because
/// the machine was off or the clock was set forward, are made up for once and together.
public struct CalendarRule: Equatable, Sendable {
    /// A day of the week.
    public enum Weekday: Int, Equatable, Sendable, CaseIterable {
        /// Sunday.
        case sunday = 0
        /// Monday.
        case monday = 1
        /// Tuesday.
        case tuesday = 2
        /// Wednesday.
        case wednesday = 3
        /// Thursday.
        case thursday = 4
        /// Friday.
        case friday = 5
        /// Saturday.
        case saturday = 6
    }

    /// 0 to 23.
    public var hour: Int
    /// 0 to 59.
    public var minute: Int
    /// The days on which it comes.
    public var weekdays: Set<Weekday>

    /// Every day at a time.
    public static func daily(hour: Int, minute: Int = 0) -> CalendarRule {
        CalendarRule(hour: hour, minute: minute, weekdays: Set(Weekday.allCases))
    }

    /// On some days of every week at a time.
    public static func weekly(on weekdays: Set<Weekday>, hour: Int, minute: Int = 0) -> CalendarRule {
        CalendarRule(hour: hour, minute: minute, weekdays: weekdays)
    }

    init(hour: Int, minute: Int, weekdays: Set<Weekday>) {
        self.hour = hour
        self.minute = minute
        self.weekdays = weekdays
    }

    var isValid: Bool {
        (0...23).contains(hour) && (0...59).contains(minute) && !weekdays.isEmpty
    }
}
