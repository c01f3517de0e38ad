/// The `Retry-After` field (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// How long the server asks to wait, never less than nothing; `nil` when it does not say. Of
    /// several differing wishes the longest is heeded.
    ///
    /// A date is measured against the reply's own `Date`, so that a wrong clock here does not matter; only when
    /// the reply has none, against `now`.
    package static func delay(in headers: [HeaderField], now: WallTime) -> Duration? {
        headers.all("Retry-After").compactMap { delay($0, in: headers, now: now) }.max()
    }

    private static func delay(_ value: String, in headers: [HeaderField], now: WallTime) -> Duration? {
        // A number that is too large to count is a very long time.
        if !value.isEmpty, value.utf8.allSatisfy(\.isASCIIDigit) {
            return Duration(microseconds: (DecimalField.parse(value) ?? .max) * 1_000_000)
        }
        guard let date = HTTPDate.parse(value) else { return nil }
        let replied = headers.single("Date").flatMap(HTTPDate.parse) ?? now
        return max(date - replied, .zero)
    }
}
