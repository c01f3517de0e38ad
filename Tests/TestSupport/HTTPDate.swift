import Glibc
package import LonghaulCore

/// Dates in HTTP's format (RFC 9110, section 5.6.7, IMF-fixdate).
package enum HTTPDate {
    private static let format = "%a, %d %b %Y %H:%M:%S GMT"

    package static func text(_ instant: WallTime) -> String {
        var seconds = time_t(instant.seconds)
        var calendar = tm()
        gmtime_r(&seconds, &calendar)
        var text = [CChar](repeating: 0, count: 64)
        let length = strftime(&text, text.count, format, &calendar)
        return String(decoding: text[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package static func instant(_ text: String) -> WallTime? {
        let words = text.split(whereSeparator: { " :,".contains($0) })
        guard words.count == 8, let month = months.firstIndex(of: String(words[2])), let day = Int32(words[1]),
            let year = Int32(words[3]), let hour = Int32(words[4]), let minute = Int32(words[5]),
            let second = Int32(words[6])
        else { return nil }
        var calendar = tm()
        calendar.tm_year = year - 1_900
        calendar.tm_mon = Int32(month)
        calendar.tm_mday = day
        calendar.tm_hour = hour
        calendar.tm_min = minute
        calendar.tm_sec = second
        return WallTime(seconds: Int64(timegm(&calendar)))
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    package static var now: WallTime { WallTime(seconds: Int64(time(nil))) }
}
