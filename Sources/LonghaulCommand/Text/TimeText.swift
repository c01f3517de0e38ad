import LonghaulCore

/// Dates and lengths of time as text, without a calendar library.
enum TimeText {
    /// RFC 3339 in UTC with microseconds: `2026-01-02T03:04:05.000006Z`. What `--json` prints.
    static func stamp(_ instant: WallTime) -> String {
        let fraction = instant.microseconds - instant.seconds * 1_000_000
        let digits = String(fraction)
        return civil(instant.seconds, separator: "T") + "."
            + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
    }

    /// `2026-01-02 03:04:05` in a zone that lies `offset` seconds east of Greenwich. What people read.
    static func local(_ instant: WallTime, offset: Int) -> String {
        civil(instant.seconds + Int64(offset), separator: " ")
    }

    /// Reads `90`, `1.5`, `10m`, `2h`, `7d`, `1w`; a bare number is seconds.
    static func span(_ text: String) -> Span? {
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
        return Span(microseconds: Int64(microseconds))
    }

    /// Reads `+10m` (from now) or an RFC 3339 date with a zone: `2026-01-02T03:04:05Z`, `2026-01-02T03:04+01:00`.
    static func instant(_ text: String, now: WallTime) -> WallTime? {
        if text.hasPrefix("+") { return span(String(text.dropFirst())).map { now + $0 } }
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), skip(&rest, "Tt "),
            let hour = number(&rest, digits: 2), skip(&rest, ":"), let minute = number(&rest, digits: 2)
        else { return nil }
        var second: Int64 = 0
        if skip(&rest, ":") {
            guard let given = number(&rest, digits: 2) else { return nil }
            second = given
            if skip(&rest, ".") {
                guard let first = rest.first, isDigit(first) else { return nil }
                rest = rest.drop { isDigit($0) }
            }
        }
        guard let offset = zone(&rest), rest.isEmpty, (1...12).contains(month),
            (1...daysIn(month, of: year)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        return WallTime(seconds: days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset)
    }

    private static func zone(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if skip(&rest, "Zz") { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip(&rest, "+-"), let hours = number(&rest, digits: 2), skip(&rest, ":"),
            let minutes = number(&rest, digits: 2), hours < 24, minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        return isWest ? -offset : offset
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, digits: Int) -> Int64? {
        let head = rest.prefix(digits)
        guard head.count == digits, head.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(digits)
        return head.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
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
        let day = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
        let rest = seconds - day * 86_400
        let (year, month, dayOfMonth) = date(day)
        let two = HumanText.twoDigits
        let padding = String(repeating: "0", count: max(0, 4 - String(year).utf8.count))
        return padding + "\(year)-" + two(month) + "-" + two(dayOfMonth) + separator
            + two(rest / 3_600) + ":" + two(rest / 60 % 60) + ":" + two(rest % 60)
    }

    // The proleptic Gregorian calendar, counted in eras of 400 years that begin on 1 March.

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func daysIn(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
