/// Limits of rate and data, of a session or of all sessions of a user.
package struct TrafficLimits: Equatable, Sendable {
    /// Bytes per second in total, in either direction; `nil` for no limit.
    package var rateLimit: Int64?
    /// Other limits at certain times. The first open window replaces `rateLimit`.
    package var timetable: [SessionRules.RateWindow]
    /// How many bytes may be transferred over metered networks.
    package var budget: DataBudget
    /// How many transfers of all sessions run at once: a setting of the user for the service. A session has `SessionLimits`.
    package var transfers: Int?

    /// No limits.
    package init(rateLimit: Int64? = nil, timetable: [SessionRules.RateWindow] = [], budget: DataBudget = DataBudget())
    {
        self.rateLimit = rateLimit
        self.timetable = timetable
        self.budget = budget
    }

    /// How many windows a timetable may have.
    package static let windowLimit = 64

    /// Why the limits are invalid; `nil` if they are valid.
    package var refusal: TransferFailure? {
        let rates = [rateLimit].compactMap { $0 } + timetable.compactMap(\.rateLimit)
        if rates.contains(where: { $0 <= 0 }) {
            return TransferFailure(.invalidArgument, "A rate limit must be a positive number of bytes per second.")
        }
        if timetable.contains(where: { !$0.hours.isValid || $0.days.isEmpty }) {
            return TransferFailure(
                .invalidArgument,
                "A window of a timetable must have days and two different times, such as mon-fri 9:00-17:00."
            )
        }
        if timetable.count > Self.windowLimit {
            return TransferFailure(.invalidArgument, "A timetable must have at most \(Self.windowLimit) windows.")
        }
        if let transfers, !(1...10_000).contains(transfers) {
            return TransferFailure(.invalidArgument, "A limit must be a number from 1 to 10000.")
        }
        if [budget.bytesPerDay, budget.bytesPerMonth].contains(where: { $0 ?? 0 < 0 }) {
            return TransferFailure(.invalidArgument, "The data budget must not be negative.")
        }
        return nil
    }

    /// Returns the limit at this moment.
    package func rate(at now: WallTime, in zone: TimeZoneRules) -> Int64? {
        for window in timetable where window.isOpen(at: now, in: zone) { return window.rateLimit }
        return rateLimit
    }

    /// Returns when the timetable may change the limit; `nil` if it never does.
    package func nextChange(after now: WallTime, in zone: TimeZoneRules) -> WallTime? {
        timetable.flatMap {
            [zone.next(minute: $0.hours.from, after: now), zone.next(minute: $0.hours.to, after: now)]
        }
        .min()
    }
}

extension SessionRules {
    /// A rate limit for certain hours of certain days.
    public struct RateWindow: Equatable, Sendable {
        /// The days on which the window opens.
        public var days: Set<CalendarRule.Weekday>
        /// The hours of these days. A window that passes midnight belongs to the day on which it opens.
        public var hours: TimeWindow
        /// The limit in bytes per second; `nil` for no limit.
        public var rateLimit: Int64?

        /// Creates a rate limit, by default for every day.
        public init(
            days: Set<CalendarRule.Weekday> = Set(CalendarRule.Weekday.allCases), hours: TimeWindow, rateLimit: Int64?
        ) {
            self.days = days
            self.hours = hours
            self.rateLimit = rateLimit
        }

        func isOpen(at now: WallTime, in zone: TimeZoneRules) -> Bool {
            let minute = zone.minute(of: now)
            guard hours.contains(minute: minute) else { return false }
            // After midnight, the window that opened on the day before is still open.
            let isFromYesterday = hours.from >= hours.to && minute < hours.to
            let day = zone.weekday(of: now)
            return days.contains(isFromYesterday ? day.previous : day)
        }
    }
}

/// How many bytes of bodies, in both directions together, may be transferred over metered networks. Days and months are local.
package struct DataBudget: Equatable, Sendable {
    /// From midnight to midnight; `nil` for no limit.
    package var bytesPerDay: Int64?
    /// From the first to the last of a month; `nil` for no limit.
    package var bytesPerMonth: Int64?

    /// No budget.
    package init(bytesPerDay: Int64? = nil, bytesPerMonth: Int64? = nil) {
        self.bytesPerDay = bytesPerDay
        self.bytesPerMonth = bytesPerMonth
    }

    /// Whether it limits nothing.
    package var isUnlimited: Bool { bytesPerDay == nil && bytesPerMonth == nil }
}
