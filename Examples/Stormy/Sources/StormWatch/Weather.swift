import Glibc

/// One look at the sky: what a weather server says in a line such as `Thunderstorm +17°C`, and when.
public struct Weather: Equatable, Sendable {
    /// Seconds since 1970.
    public var at: Int
    /// `Thunderstorm`.
    public var sky: String
    /// In degrees Celsius.
    public var degrees: Int

    /// Reads a server's answer: words, then the temperature. `nil` when it is something else.
    public init?(_ answer: some StringProtocol, at: Int) {
        var words = answer.split(whereSeparator: \.isWhitespace)
        guard let last = words.popLast(), !words.isEmpty,
            let degrees = Int(last.prefix { $0.isNumber || $0 == "+" || $0 == "-" })
        else { return nil }
        self.at = at
        self.sky = words.joined(separator: " ")
        self.degrees = degrees
    }

    /// `9 °C`.
    public var temperature: String { Self.temperature(degrees) }

    /// A temperature as the app writes it everywhere.
    public static func temperature(_ degrees: Int) -> String { "\(degrees) °C" }

    /// Whether it is worth a photo.
    public var isStormy: Bool { sky.lowercased().contains("storm") }

    /// Whether it was at noon or later, on the local date of another instant.
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

/// The answers so far: a text file with a line for each, oldest first.
public struct WeatherLog: Sendable {
    /// Its path.
    public let path: String

    /// The log in a file, which need not be there yet.
    public init(path: String) {
        self.path = path
    }

    /// What it holds; a line that a crash cut short is left out.
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

    /// Adds one; it is on disk when this returns `true`.
    public func add(_ weather: Weather) -> Bool {
        guard let file = fopen(path, "ae") else { return false }
        fputs("\(weather.at) \(weather.sky) \(weather.degrees)°C\n", file)
        let isWritten = fflush(file) == 0 && fsync(fileno(file)) == 0
        return fclose(file) == 0 && isWritten
    }
}
