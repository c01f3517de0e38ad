import Glibc

/// Lines about the service's start, stop and trouble, on standard error: a constant message, then values. No secrets.
package enum ServiceLog {
    package static func notice(_ message: StaticString, _ values: KeyValuePairs<String, String> = [:]) {
        var line = "\(timestamp) longhauld: \(message)"
        for (key, value) in values { line += " \(key)=\(quoted(value))" }
        say(line)
    }

    /// Writes one line as it is.
    package static func say(_ text: String) {
        var line = text + "\n"
        // One write keeps lines of two threads apart. If the log cannot be written there is nobody left to tell.
        _ = line.withUTF8 { write(2, $0.baseAddress, $0.count) }
    }

    private static var timestamp: String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }
        return isPlain ? value : value.debugDescription
    }
}
