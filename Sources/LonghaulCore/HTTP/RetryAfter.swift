/// The delay before the next request that a server asks for: `Retry-After` (RFC 9110, section 10.2.3), or the end of a limit.
package enum RetryAfter {
    /// Returns the delay that the server requests, never negative; `nil` without a valid header. Among several different values the
    /// longest counts.
    ///
    /// A date is compared with the response's own `Date`, so that a wrong clock here does not matter; without one, with `now`.
    package static func delay(in headers: [HeaderField], now: WallTime) -> Duration? {
        headers.all("Retry-After").compactMap { delay($0, in: headers, now: now) }.max()
            ?? limitReset(in: headers).map { max($0 - replied(headers, now), .zero) }
    }

    /// Returns whether the server states a delay.
    package static func isStated(in headers: [HeaderField]) -> Bool {
        !headers.all("Retry-After").isEmpty || limitReset(in: headers) != nil
    }

    /// Returns when a used-up limit of requests starts again. GitHub states it in seconds since 1970, without `Retry-After`.
    private static func limitReset(in headers: [HeaderField]) -> WallTime? {
        guard headers.single("X-RateLimit-Remaining") == "0" else { return nil }
        return headers.single("X-RateLimit-Reset").flatMap { DecimalField.parse($0) }.map { WallTime(seconds: $0) }
    }

    private static func replied(_ headers: [HeaderField], _ now: WallTime) -> WallTime {
        headers.single("Date").flatMap(HTTPDate.parse) ?? now
    }

    private static func delay(_ value: String, in headers: [HeaderField], now: WallTime) -> Duration? {
        // A number that overflows is a very long time.
        if !value.isEmpty, value.utf8.allSatisfy(\.isASCIIDigit) {
            return Duration(microseconds: (DecimalField.parse(value) ?? .max) * 1_000_000)
        }
        guard let date = HTTPDate.parse(value) else { return nil }
        return max(date - replied(headers, now), .zero)
    }
}
