package import LonghaulCore

/// Hours, days, rates, and amounts, as users type them and commands show them.
package enum RulesText {
    /// Reads `22:00-06:00`.
    static func hours(_ text: some StringProtocol) -> TimeWindow? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let from = minute(ends[0]), let to = minute(ends[1]) else { return nil }
        let hours = TimeWindow(from: from, to: to)
        return from == to ? nil : hours
    }

    /// Reads `wired,wifi`.
    static func links(_ text: String) throws(TransferFailure) -> Set<Conditions.LinkKind> {
        let known = Conditions.LinkKind.allCases.filter { $0 != .unknown }
        var links: Set<Conditions.LinkKind> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let link = known.first(where: { ConditionsText.word($0) == word }) else {
                throw .usage(
                    "A link must be wired, wifi, mobile, vpn, or other; separate several with commas, not \"\(text)\".")
            }
            links.insert(link)
        }
        return links
    }

    static func text(_ links: Set<Conditions.LinkKind>) -> String {
        links.sorted { $0.wireNumber < $1.wireNumber }.map(ConditionsText.word).joined(separator: ",")
    }

    static func text(_ hours: TimeWindow) -> String { clock(hours.from) + "-" + clock(hours.to) }

    /// Reads `mon-fri 9:00-17:00=500k`; days may be missing, `daily`, single ones or ranges with commas; the rate may be
    /// `none`.
    package static func window(_ text: String) -> SessionRules.RateWindow? {
        guard let equals = text.lastIndex(of: "=") else { return nil }
        let times = text[..<equals].split(separator: " ")
        guard (1...2).contains(times.count), let hours = hours(times[times.count - 1]),
            let days = times.count == 2 ? days(times[0]) : .everyDay,
            let rate = limit(String(text[text.index(after: equals)...]))
        else { return nil }
        return SessionRules.RateWindow(days: days, hours: hours, rateLimit: rate > 0 ? rate : nil)
    }

    package static func text(_ window: SessionRules.RateWindow) -> String {
        text(window.days) + " " + text(window.hours) + "=" + (window.rateLimit.map(amount) ?? "none")
    }

    /// Reads `500k`, `2M`, or 0 for `none` and `default`.
    package static func limit(_ text: String) -> Int64? {
        text == "none" || text == "default" ? 0 : TransferTemplate.rate(text)
    }

    /// A number of bytes as it can be typed again: `500k`, `2M`, `1234`.
    static func amount(_ bytes: Int64) -> String {
        for (unit, letter) in [(Int64(1) << 30, "G"), (1 << 20, "M"), (1 << 10, "k")]
        where bytes >= unit && bytes % unit == 0 {
            return "\(bytes / unit)\(letter)"
        }
        return "\(bytes)"
    }

    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private static func days(_ text: some StringProtocol) -> Set<CalendarRule.Weekday>? {
        if text == "daily" { return .everyDay }
        var days: Set<CalendarRule.Weekday> = []
        for piece in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = piece.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard (1...2).contains(ends.count), let first = names.firstIndex(of: ends[0]),
                let last = names.firstIndex(of: ends[ends.count - 1])
            else { return nil }
            // From Saturday to Monday passes the end of the week.
            for step in 0...((last - first + 7) % 7) { days.insert(CalendarRule.Weekday.isoOrder[(first + step) % 7]) }
        }
        return days
    }

    private static func text(_ days: Set<CalendarRule.Weekday>) -> String {
        switch days {
        case .everyDay: "daily"
        case .workdays: "mon-fri"
        case .weekend: "sat-sun"
        default:
            names.indices.filter { days.contains(CalendarRule.Weekday.isoOrder[$0]) }.map { names[$0] }.joined(
                separator: ",")
        }
    }

    private static func minute(_ text: some StringProtocol) -> Int? { TimeText.timeOfDay(text, takesHour: true) }

    private static func clock(_ minute: Int) -> String {
        HumanText.twoDigits(Int64(minute / 60)) + ":" + HumanText.twoDigits(Int64(minute % 60))
    }
}
