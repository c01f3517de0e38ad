import LonghaulCore

/// Numbers for the user.
enum HumanText {
    /// `0 B`, `999 B`, `1.5 KiB`, `12.3 MiB`.
    static func bytes(_ count: Int64) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        guard count >= 1_024 else { return "\(max(0, count)) B" }
        var tenths = count / 1_024 * 10 + count % 1_024 * 10 / 1_024
        var unit = 0
        while tenths >= 10_240 && unit < units.count - 1 {
            tenths /= 1_024
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    static func rate(_ bytesPerSecond: Int64) -> String {
        bytes(bytesPerSecond) + "/s"
    }

    /// `done of total` in whole percent, rounded down so that 100 means complete; `nil` when the total is unknown.
    static func percent(_ done: Int64, of total: Int64?) -> Int? {
        guard let total, total >= 0 else { return nil }
        guard total > 0, done < total else { return 100 }
        return Int(Double(max(0, done)) / Double(total) * 100)
    }

    /// `0:07`, `12:34`, `1:02:03`, and from 100 hours on `5 d`.
    static func clock(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        guard seconds < 360_000 else { return tr("\(seconds / 86_400) d") }
        let tail = twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60)
        guard seconds >= 3_600 else { return "\(seconds / 60):" + twoDigits(seconds % 60) }
        return "\(seconds / 3_600):" + tail
    }

    /// `4 s`, `10 min`, `2 h 5 min`, `3 d 4 h`. Fractions are rounded up, so that a countdown ends with `1 s`.
    static func span(_ span: Duration) -> String {
        guard span.microseconds > 0 else { return tr("\(0) s") }
        let seconds = span.microseconds / 1_000_000 + (span.microseconds % 1_000_000 == 0 ? 0 : 1)
        switch seconds {
        case ..<120: return tr("\(seconds) s")
        case ..<3_600:
            let (minutes, rest) = (seconds / 60, seconds % 60)
            return rest == 0 ? tr("\(minutes) min") : tr("\(minutes) min \(rest) s")
        case ..<86_400:
            let (hours, rest) = (seconds / 3_600, seconds % 3_600 / 60)
            return rest == 0 ? tr("\(hours) h") : tr("\(hours) h \(rest) min")
        default:
            let (days, rest) = (seconds / 86_400, seconds % 86_400 / 3_600)
            return rest == 0 ? tr("\(days) d") : tr("\(days) d \(rest) h")
        }
    }

    /// The age of a transfer in a column: `12s`, `5m`, `3h`, `40d`.
    static func age(_ span: Duration) -> String {
        let seconds = max(0, span.microseconds / 1_000_000)
        return switch seconds {
        case ..<60: tr("\(seconds)s")
        case ..<3_600: tr("\(seconds / 60)m")
        case ..<86_400: tr("\(seconds / 3_600)h")
        default: tr("\(seconds / 86_400)d")
        }
    }

    /// `0.4 s`, `9.9 s`.
    static func tenths(_ span: Duration) -> String {
        let tenths = span.microseconds / 100_000
        let text = "\(tenths / 10).\(tenths % 10)"
        return tr("\(text) s")
    }

    /// `1 transfer`, `2 transfers`.
    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
