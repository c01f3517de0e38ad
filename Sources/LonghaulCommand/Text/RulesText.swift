package import LonghaulCore

/// Hours, days, rates and amounts as they are typed and shown.
package enum RulesText {
    /// Reads `22:00-06:00`.
    static func hours(_ text: some StringProtocol) -> DayHours? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let from = minute(ends[0]), let to = minute(ends[1]) else { return nil }
        let hours = DayHours(from: from, to: to)
        return from == to ? nil : hours
    }

    /// Reads `wired,wifi`.
    static func links(_ text: String) throws(TransferFailure) -> Set<Conditions.Link> {
        var links: Set<Conditions.Link> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard
                let link = Conditions.Link.allCases.first(where: { $0 != .unknown && ConditionsText.word($0) == word })
            else {
                throw .usage(
                    "a link is wired, wifi, mobile, vpn or other, several with commas between, not \"\(text)\"")
            }
            links.insert(link)
        }
        return links
    }

    static func text(_ links: Set<Conditions.Link>) -> String {
        links.sorted { $0.rawValue < $1.rawValue }.map(ConditionsText.word).joined(separator: ",")
    }

    static func text(_ hours: DayHours) -> String { clock(hours.from) + "-" + clock(hours.to) }

    /// Reads `mon-fri 9:00-17:00=500k`; days may be missing, `daily`, single ones or ranges with commas; the rate may be
    /// `none`.
    package static func window(_ text: String) -> RateWindow? {
        guard let equals = text.lastIndex(of: "=") else { return nil }
        let times = text[..<equals].split(separator: " ")
        guard (1...2).contains(times.count), let hours = hours(times[times.count - 1]),
            let days = times.count == 2 ? days(times[0]) : .everyDay,
            let rate = limit(String(text[text.index(after: equals)...]))
        else { return nil }
        return RateWindow(days: days, hours: hours, rateLimit: rate > 0 ? rate : nil)
    }

    package static func text(_ window: RateWindow) -> String {
        text(window.days) + " " + text(window.hours) + "=" + (window.rateLimit.map(amount) ?? "none")
    }

    /// Reads `500k`, `2M` or `none`, which is 0.
    package static func limit(_ text: String) -> Int64? {
        text == "none" ? 0 : TransferTemplate.rate(text)
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

    private static func days(_ text: some StringProtocol) -> Weekdays? {
        if text == "daily" { return .everyDay }
        var days: Weekdays = []
        for piece in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = piece.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard (1...2).contains(ends.count), let first = names.firstIndex(of: ends[0]),
                let last = names.firstIndex(of: ends[ends.count - 1])
            else { return nil }
            // From Saturday to Monday passes the end of the week.
            for step in 0...((last - first + 7) % 7) { days.insert(Weekdays(rawValue: 1 << ((first + step) % 7))) }
        }
        return days
    }

    private static func text(_ days: Weekdays) -> String {
        switch days {
        case .everyDay: "daily"
        case .workdays: "mon-fri"
        case .weekend: "sat-sun"
        default:
            names.indices.filter { days.contains(Weekdays(rawValue: 1 << $0)) }.map { names[$0] }.joined(separator: ",")
        }
    }

    private static func minute(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let hour = Int(parts[0]), (0...23).contains(hour), parts[0].count <= 2
        else { return nil }
        if parts.count == 1 { return hour * 60 }
        guard parts[1].utf8.count == 2, let minute = Int(parts[1]), (0...59).contains(minute) else { return nil }
        return hour * 60 + minute
    }

    private static func clock(_ minute: Int) -> String {
        HumanText.twoDigits(Int64(minute / 60)) + ":" + HumanText.twoDigits(Int64(minute % 60))
    }
}
