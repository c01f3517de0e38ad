import LonghaulCore
import LonghaulSystem

/// Log lines about the service's start, stop, and problems, on standard error: a constant message, then values. No secrets.
package enum ServiceLog {
    package static func notice(_ message: StaticString, _ values: KeyValuePairs<String, String> = [:]) {
        var line = "\(timestamp) longhauld: \(message)"
        for (key, value) in values { line += " \(key)=\(quoted(value))" }
        say(line)
    }

    /// Writes one line unchanged.
    package static func say(_ text: String) {
        // A single write keeps the lines of two threads apart. A failure to write the log cannot be reported.
        try? LentDescriptor.standardError.write(text + "\n")
    }

    private static var timestamp: String {
        CivilTime(secondsSince1970: SystemClock.wallTime().seconds).text()
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }
        return isPlain ? value : value.debugDescription
    }
}
