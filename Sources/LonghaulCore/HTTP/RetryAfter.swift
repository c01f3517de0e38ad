/// The `Retry-After` header (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// Returns the delay that the server requests, never negative; `nil` without a valid header. Among several different values the
    /// longest counts.
    ///
    /// A date is compared with the response's own `Date`, so that a wrong clock here does not matter; without one, with `now`.
    package static func delay(in headers: [HeaderField], now: WallTime) -> Duration? {
        headers.all("Retry-After").compactMap { delay($0, in: headers, now: now) }.max()
    }

    private static func delay(_ value: String, in headers: [HeaderField], now: WallTime) -> Duration? {
        // A number that overflows is a very long time.
        if !value.isEmpty, value.utf8.allSatisfy(\.isASCIIDigit) {
            return Duration(microseconds: (DecimalField.parse(value) ?? .max) * 1_000_000)
        }
        guard let date = HTTPDate.parse(value) else { return nil }
        let replied = headers.single("Date").flatMap(HTTPDate.parse) ?? now
        return max(date - replied, .zero)
    }
}
