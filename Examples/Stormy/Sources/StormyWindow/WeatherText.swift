import DesktopKit
import Glibc
import StormWatch

/// The texts and icons for dates and weather.
enum WeatherText {
    /// Returns a time as `Today, 12:00`, `Tomorrow, 12:00`, or `Sat 24 Oct, 12:00`.
    static func date(_ seconds: Int) -> String {
        let names = [(-86_400, tr("Yesterday")), (0, tr("Today")), (86_400, tr("Tomorrow"))]
        let name = names.first { isSameDay(seconds, time(nil) + $0.0) }?.1 ?? format(seconds, tr("%a %-d %b"))
        return tr("%1, %2", name, format(seconds, "%H:%M"))
    }

    /// Returns a day as `Sat 24`.
    static func day(_ seconds: Int) -> String { format(seconds, tr("%a %-d")) }

    /// Returns the name of the icon for a report; a question mark for `nil`.
    static func icon(_ weather: Weather?) -> String {
        guard let sky = weather?.sky.lowercased() else { return "dialog-question-symbolic" }
        let kinds = [
            ("storm", "storm"), ("snow", "snow"), ("rain", "showers"), ("drizzle", "showers-scattered"),
            ("fog", "fog"), ("mist", "fog"), ("overcast", "overcast"), ("cloud", "few-clouds"), ("wind", "windy"),
        ]
        return "weather-\(kinds.first { sky.contains($0.0) }?.1 ?? "clear")-symbolic"
    }

    private static func isSameDay(_ one: Int, _ other: Int) -> Bool { format(one, "%F") == format(other, "%F") }

    private static func format(_ seconds: Int, _ form: String) -> String {
        var (seconds, local, text) = (seconds, tm(), [CChar](repeating: 0, count: 64))
        localtime_r(&seconds, &local)
        let count = strftime(&text, text.count, form, &local)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
