/// A time of day on some days of the week, in the machine's time zone.
///
/// The rule applies once per local date. If the clocks skip the time, the rule applies right after the jump; if they pass it
/// twice, the first time. After a change of time zone, the rule applies at the same time of day there. One run makes up for all
/// days that were missed because the machine was off or the clock was set forward.
public struct CalendarRule: Equatable, Sendable {
    /// A day of the week.
    public enum Weekday: Equatable, Sendable, CaseIterable {
        /// Sunday.
        case sunday
        /// Monday.
        case monday
        /// Tuesday.
        case tuesday
        /// Wednesday.
        case wednesday
        /// Thursday.
        case thursday
        /// Friday.
        case friday
        /// Saturday.
        case saturday
    }

    /// The hour, from 0 to 23.
    package var hour: Int
    /// The minute, from 0 to 59.
    package var minute: Int
    /// The days of the week on which the rule applies.
    package var weekdays: Set<Weekday>

    /// Returns a rule for every day.
    public static func daily(hour: Int, minute: Int = 0) -> CalendarRule {
        CalendarRule(hour: hour, minute: minute, weekdays: Set(Weekday.allCases))
    }

    /// Returns a rule for some days of every week.
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
