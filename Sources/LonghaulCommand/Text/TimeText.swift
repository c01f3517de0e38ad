package import LonghaulCore

/// Dates and lengths of time as text, without a calendar library.
package enum TimeText {
    /// RFC 3339 in UTC with microseconds: `2026-01-02T03:04:05.000006Z`. What `--json` prints.
    package static func stamp(_ instant: WallTime) -> String {
        let digits = String(instant.microsecondOfSecond)
        return civil(instant.seconds, separator: "T") + "."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
    }

    /// `2026-01-02 03:04:05` in a zone that lies `offset` seconds east of Greenwich. What people read.
    package static func local(_ instant: WallTime, offset: Int) -> String {
        civil(instant.seconds + Int64(offset), separator: " ")
    }

    /// Reads `90`, `1.5`, `10m`, `2h`, `7d`, `1w`; a bare number is seconds.
    package static func span(_ text: String) -> Duration? {
        var digits = Substring(text)
        var unit: Int64 = 1
        switch text.utf8.last {
        case UInt8(ascii: "s"): digits = digits.dropLast()
        case UInt8(ascii: "m"): (digits, unit) = (digits.dropLast(), 60)
        case UInt8(ascii: "h"): (digits, unit) = (digits.dropLast(), 3_600)
        case UInt8(ascii: "d"): (digits, unit) = (digits.dropLast(), 86_400)
        case UInt8(ascii: "w"): (digits, unit) = (digits.dropLast(), 604_800)
        default: break
        }
        guard let first = digits.utf8.first, isDigit(first),
            digits.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }), let number = Double(digits)
        else { return nil }
        let microseconds = number * Double(unit) * 1_000_000
        guard microseconds < 9e18 else { return nil }
        return Duration(microseconds: Int64(microseconds))
    }

    /// Reads `+10m` (from now), an RFC 3339 date with a zone (`2026-01-02T03:04:05Z`, `2026-01-02T03:04+01:00`), or a local
    /// date: `2026-01-02 23:00`, `2026-01-02`, `23:00` (the next time that it is), `tomorrow`, `tomorrow 7:30`. `offset` tells
    /// how many seconds east of Greenwich the person is at that time.
    package static func instant(_ text: String, now: WallTime, offset: (WallTime) -> Int) -> WallTime? {
        if text.hasPrefix("+") { return span(String(text.dropFirst())).map { now + $0 } }
        return zoned(text) ?? local(text, now: now, offset: offset)
    }

    private static func local(_ text: String, now: WallTime, offset: (WallTime) -> Int) -> WallTime? {
        func instant(_ date: CivilTime, day: Int64, _ time: (hour: Int, minute: Int)) -> WallTime? {
            var date = date
            (date.hour, date.minute, date.second) = (time.hour, time.minute, 0)
            guard date.isValid else { return nil }
            let seconds = date.secondsSince1970 + day * 86_400
            // The offset of about that time; where a clock is turned within these hours, the one before counts.
            return WallTime(seconds: seconds - Int64(offset(WallTime(seconds: seconds - Int64(offset(now))))))
        }
        let today = CivilTime(secondsSince1970: now.seconds + Int64(offset(now)))
        let words = text.replacing("T", with: " ").split(separator: " ", maxSplits: 1)
        guard let first = words.first else { return nil }
        if words.count == 1, let time = timeOfDay(first) {
            guard let next = instant(today, day: 0, time) else { return nil }
            return next > now ? next : instant(today, day: 1, time)
        }
        let time = words.count == 2 ? timeOfDay(words[1]) : (0, 0)
        guard let time else { return nil }
        if first == "tomorrow" { return instant(today, day: 1, time) }
        var rest = Array(first.utf8)[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), rest.isEmpty
        else { return nil }
        return instant(CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0), day: 0, time)
    }

    /// `23:00`, `7:30`
    private static func timeOfDay(_ text: Substring) -> (hour: Int, minute: Int)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy(isDigit) }), let hour = Int(parts[0]), let minute = Int(parts[1])
        else { return nil }
        return (hour, minute)
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
