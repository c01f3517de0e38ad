/// How fast and how much: for a session, or for all sessions of a user.
public struct TrafficLimits: Equatable, Sendable {
    /// Bytes a second in all, in either direction; `nil` for no limit.
    public var rateLimit: Int64?
    /// Other limits at certain times. The first window that is open counts instead of `rateLimit`.
    public var timetable: [RateWindow]
    /// How much may be moved over metered networks.
    public var budget: DataBudget
    /// How many transfers run at once in all sessions together; only a person says that, for the service. A session has `SessionLimits`.
    package var transfers: Int?

    /// No limits.
    public init(rateLimit: Int64? = nil, timetable: [RateWindow] = [], budget: DataBudget = DataBudget()) {
        self.rateLimit = rateLimit
        self.timetable = timetable
        self.budget = budget
    }

    /// How many windows a timetable may have.
    package static let windowLimit = 64

    /// What is wrong with them, if anything is.
    package var refusal: TransferFailure? {
        let rates = [rateLimit].compactMap { $0 } + timetable.compactMap(\.rateLimit)
        if rates.contains(where: { $0 <= 0 }) {
            return TransferFailure(.invalidArgument, "A rate limit is a number of bytes a second above zero.")
        }
        if timetable.contains(where: { !$0.hours.isValid || $0.days.isEmpty }) {
            return TransferFailure(
                .invalidArgument,
                "A window of a timetable needs days and two different times, such as mon-fri 9:00-17:00."
            )
        }
        if timetable.count > Self.windowLimit {
            return TransferFailure(.invalidArgument, "A timetable has at most \(Self.windowLimit) windows.")
        }
        if let transfers, !(1...10_000).contains(transfers) {
            return TransferFailure(.invalidArgument, "A limit is a number from 1 to 10000.")
        }
        if [budget.bytesPerDay, budget.bytesPerMonth].contains(where: { $0 ?? 0 < 0 }) {
            return TransferFailure(.invalidArgument, "A data budget is not negative.")
        }
        return nil
    }

    /// The limit at this moment.
    package func rate(at now: WallTime, in zone: TimeZoneRules) -> Int64? {
        for window in timetable where window.isOpen(at: now, in: zone) { return window.rateLimit }
        return rateLimit
    }

    /// When the timetable may say something else; `nil` when it never does.
    package func nextChange(after now: WallTime, in zone: TimeZoneRules) -> WallTime? {
        timetable.flatMap {
            [zone.next(minute: $0.hours.from, after: now), zone.next(minute: $0.hours.to, after: now)]
        }
        .min()
    }
}

/// A limit that holds at certain times of certain days.
public struct RateWindow: Equatable, Sendable {
    /// On which days it opens.
    public var days: Weekdays
    /// At which hours of these days; a window that passes midnight belongs to the day on which it opens.
    public var hours: DayHours
    /// Bytes a second; `nil` for no limit.
    public var rateLimit: Int64?

    /// Takes every value.
    public init(days: Weekdays, hours: DayHours, rateLimit: Int64?) {
        self.days = days
        self.hours = hours
        self.rateLimit = rateLimit
    }

    func isOpen(at now: WallTime, in zone: TimeZoneRules) -> Bool {
        let minute = zone.minute(of: now)
        guard hours.contains(minute: minute) else { return false }
        // After midnight the window that opened yesterday is still the one.
        let isFromYesterday = hours.from >= hours.to && minute < hours.to
        let day = zone.weekday(of: now)
        let opening = isFromYesterday ? Weekdays(rawValue: day == .monday ? 64 : day.rawValue >> 1) : day
        return days.contains(opening)
    }
}

/// How much may be moved over metered networks, bodies in both directions together. Days and months are local ones.
public struct DataBudget: Equatable, Sendable {
    /// From midnight to midnight; `nil` for no limit.
    public var bytesPerDay: Int64?
    /// From the first to the last of a month; `nil` for no limit.
    public var bytesPerMonth: Int64?

    /// No budget.
    public init(bytesPerDay: Int64? = nil, bytesPerMonth: Int64? = nil) {
        self.bytesPerDay = bytesPerDay
        self.bytesPerMonth = bytesPerMonth
    }

    /// Whether it limits nothing.
    public var isUnlimited: Bool { bytesPerDay == nil && bytesPerMonth == nil }
}
