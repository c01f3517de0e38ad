import Glibc

/// A weather report: the server's line, such as `Thunderstorm +17°C`, and its time.
public struct Weather: Equatable, Sendable {
    /// The time of the report, in seconds since 1970.
    public var at: Int
    /// The description, such as `Thunderstorm`.
    public var sky: String
    /// The temperature in degrees Celsius.
    public var degrees: Int

    /// Parses a server's response: words, then the temperature. `nil` if it has another form.
    public init?(_ answer: some StringProtocol, at: Int) {
        var words = answer.split(whereSeparator: \.isWhitespace)
        guard let last = words.popLast(), !words.isEmpty,
            let degrees = Int(last.prefix { $0.isNumber || $0 == "+" || $0 == "-" })
        else { return nil }
        self.at = at
        self.sky = words.joined(separator: " ")
        self.degrees = degrees
    }

    /// The temperature as text, such as `9 °C`.
    public var temperature: String { Self.temperature(degrees) }

    /// Returns a temperature as text, such as `9 °C`.
    public static func temperature(_ degrees: Int) -> String { "\(degrees) °C" }

    /// Whether the report has a storm.
    public var isStormy: Bool { sky.lowercased().contains("storm") }

    /// Whether the report is from noon or later, on the local day of `other`.
    public func isSinceNoon(of other: Int) -> Bool {
        let (local, otherLocal) = (Self.local(at), Self.local(other))
        return (local.tm_year, local.tm_yday) == (otherLocal.tm_year, otherLocal.tm_yday) && local.tm_hour >= 12
    }

    private static func local(_ seconds: Int) -> tm {
        var (seconds, local) = (seconds, tm())
        localtime_r(&seconds, &local)
        return local
    }
}

/// A text file with the weather reports, one per line, oldest first.
public struct WeatherLog: Sendable {
    /// The path of the file.
    public let path: String

    /// Creates a log for a file, which need not exist.
    public init(path: String) {
        self.path = path
    }

    /// The reports. Omits a line that a crash has cut off.
    public var answers: [Weather] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var (answers, line) = ([Weather](), [CChar](repeating: 0, count: 256))
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let parts = text.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let at = Int(parts[0]), let weather = Weather(parts[1], at: at) else { continue }
            answers.append(weather)
        }
        return answers
    }

    /// Appends a report and syncs the file. Returns whether that succeeded.
    public func add(_ weather: Weather) -> Bool {
        guard let file = fopen(path, "ae") else { return false }
        fputs("\(weather.at) \(weather.sky) \(weather.degrees)°C\n", file)
        let isWritten = fflush(file) == 0 && fsync(fileno(file)) == 0
        return fclose(file) == 0 && isWritten
    }
}
