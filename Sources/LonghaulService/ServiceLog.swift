import LonghaulCore
import LonghaulSystem

/// Lines about the service's start, stop and trouble, on standard error: a constant message, then values. No secrets.
package enum ServiceLog {
    package static func notice(_ message: StaticString, _ values: KeyValuePairs<String, String> = [:]) {
        var line = "\(timestamp) longhauld: \(message)"
        for (key, value) in values { line += " \(key)=\(quoted(value))" }
        say(line)
    }

    /// Writes one line as it is.
    package static func say(_ text: String) {
        // One write keeps lines of two threads apart. If the log cannot be written there is nobody left to tell.
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
