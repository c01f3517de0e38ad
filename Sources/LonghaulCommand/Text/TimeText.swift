package import LonghaulCore

/// Dates and durations as text, without a calendar library.
package enum TimeText {
    /// RFC 3339 in UTC with microseconds: `2026-01-02T03:04:05.000006Z`. What `--json` prints.
    package static func stamp(_ instant: WallTime) -> String {
        let digits = String(instant.microsecondOfSecond)
        return civil(instant.seconds, separator: "T") + "."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
    }

    /// `2026-01-02 03:04:05` in a zone `offset` seconds east of Greenwich, for users.
    package static func local(_ instant: WallTime, offset: Int) -> String {
        civil(instant.seconds + Int64(offset), separator: " ")
    }

    /// Reads `90`, `1.5`, `10m`, `2h`, `7d`, `1w`, `1h30m`; a bare number is seconds.
    package static func span(_ text: String) -> Duration? {
        var total = 0.0
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let digits = rest.prefix { isDigit($0) || $0 == UInt8(ascii: ".") }
            rest = rest.dropFirst(digits.count)
            guard let first = digits.first, isDigit(first), let number = Double(String(decoding: digits, as: UTF8.self))
            else { return nil }
            switch rest.popFirst() {
            case UInt8(ascii: "s"): total += number
            case UInt8(ascii: "m"): total += number * 60
            case UInt8(ascii: "h"): total += number * 3_600
            case UInt8(ascii: "d"): total += number * 86_400
            case UInt8(ascii: "w"): total += number * 604_800
            // A number without a unit stands alone.
            case nil where digits.count == text.utf8.count: total += number
            default: return nil
            }
        }
        guard !text.isEmpty, total * 1_000_000 < 9e18 else { return nil }
        return Duration(microseconds: Int64(total * 1_000_000))
    }

    /// Reads `+10m` (from now), an RFC 3339 date with a zone (`2026-01-02T03:04:05Z`, `2026-01-02T03:04+01:00`), or a local
    /// date: `2026-01-02 23:00`, `2026-01-02`, `23:00`, `8pm`, `noon` (the next time that it is), `tomorrow`, `monday 7:30`.
    /// `offset` returns the seconds east of Greenwich of local time then.
    package static func instant(_ text: String, now: WallTime, offset: (WallTime) -> Int) -> WallTime? {
        if text.hasPrefix("+") { return span(String(text.dropFirst())).map { now + $0 } }
        return zoned(text) ?? local(text, now: now, offset: offset)
    }

    private static func local(_ text: String, now: WallTime, offset: (WallTime) -> Int) -> WallTime? {
        func instant(_ date: CivilTime, day: Int, _ minute: Int) -> WallTime? {
            var date = date
            (date.hour, date.minute, date.second) = (minute / 60, minute % 60, 0)
            guard date.isValid else { return nil }
            let seconds = date.secondsSince1970 + Int64(day) * 86_400
            // The offset at about that time; in the hours in which the clock changes, the earlier one.
            return WallTime(seconds: seconds - Int64(offset(WallTime(seconds: seconds - Int64(offset(now))))))
        }
        let localNow = now.seconds + Int64(offset(now))
        let today = CivilTime(secondsSince1970: localNow)
        let words = text.lowercased().replacing("t", with: " ", maxReplacements: isDate(text) ? 1 : 0)
            .split(separator: " ", maxSplits: 1)
        guard let first = words.first else { return nil }
        if let time = timeOfDay(text) {
            guard let next = instant(today, day: 0, time) else { return nil }
            return next > now ? next : instant(today, day: 1, time)
        }
        let time = words.count == 2 ? timeOfDay(words[1]) : 0
        guard let time else { return nil }
        if first == "today" { return words.count == 2 ? instant(today, day: 0, time) : nil }
        if first == "tomorrow" { return instant(today, day: 1, time) }
        if let weekday = weekday(first) {
            // The first day since 1970 was a Thursday.
            let day = (weekday - Int((localNow / 86_400 + 3) % 7) + 7) % 7
            guard let next = instant(today, day: day, time) else { return nil }
            return next > now ? next : instant(today, day: day + 7, time)
        }
        var rest = Array(first.utf8)[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), rest.isEmpty
        else { return nil }
        return instant(CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0), day: 0, time)
    }

    private static func isDate(_ text: String) -> Bool { text.utf8.first.map(isDigit) ?? false }

    /// Reads the name of a day, or its first three letters; Monday is 0.
    private static func weekday(_ text: Substring) -> Int? {
        let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        return names.firstIndex { $0 == text || $0.prefix(3) == text }
    }

    /// Reads `23:00`, `7:30`, `8pm`, `8:30 pm`, `noon`, `midnight`: the minute of the day.
    ///
    /// - Parameter takesHour: Whether a bare number is an hour.
    static func timeOfDay(_ text: some StringProtocol, takesHour: Bool = false) -> Int? {
        var text = text.lowercased()
        if text == "noon" { return 720 }
        if text == "midnight" { return 0 }
        var isAfternoon: Bool?
        if text.hasSuffix("m"), let letter = text.dropLast().last, "ap".contains(letter) {
            isAfternoon = letter == "p"
            text = String(text.dropLast(2).trimming { $0 == " " })
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (takesHour || isAfternoon != nil ? 1...2 : 2...2).contains(parts.count),
            parts.allSatisfy({ (1...2).contains($0.utf8.count) && $0.utf8.allSatisfy(isDigit) }),
            parts.count == 1 || parts[1].utf8.count == 2, let hour = Int(parts[0]),
            let minute = parts.count == 1 ? 0 : Int(parts[1]), minute < 60
        else { return nil }
        guard let isAfternoon else { return hour < 24 ? hour * 60 + minute : nil }
        return (1...12).contains(hour) ? (hour % 12 + (isAfternoon ? 12 : 0)) * 60 + minute : nil
    }

    private static func zoned(_ text: String) -> WallTime? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), skip(&rest, "Tt "),
            let hour = number(&rest, digits: 2), skip(&rest, ":"), let minute = number(&rest, digits: 2)
        else { return nil }
        var second = 0
        if skip(&rest, ":") {
            guard let given = number(&rest, digits: 2) else { return nil }
            second = given
            if skip(&rest, ".") {
                guard let first = rest.first, isDigit(first) else { return nil }
                rest = rest.drop { isDigit($0) }
            }
        }
        let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard let offset = zone(&rest), rest.isEmpty, time.isValid else { return nil }
        return WallTime(seconds: time.secondsSince1970 - Int64(offset))
    }

    private static func zone(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if skip(&rest, "Zz") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip(&rest, "+-"), let hours = number(&rest, digits: 2), skip(&rest, ":"),
            let minutes = number(&rest, digits: 2), hours < 24, minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        return isWest ? -offset : offset
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, digits: Int) -> Int? {
        let head = rest.prefix(digits)
        guard head.count == digits, head.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return head.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ allowed: String) -> Bool {
        guard let first = rest.first, allowed.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func civil(_ seconds: Int64, separator: String) -> String {
        let time = CivilTime(secondsSince1970: seconds)
        let padding = String(repeating: "0", count: max(0, 4 - String(time.year).utf8.count))
        let date = padding + "\(time.year)-" + two(time.month) + "-" + two(time.day)
        return date + separator + two(time.hour) + ":" + two(time.minute) + ":" + two(time.second)
    }

    private static func two(_ number: Int) -> String {
        HumanText.twoDigits(Int64(number))
    }
}
