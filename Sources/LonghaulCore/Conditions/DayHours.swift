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
