/// How long to wait before a failed attempt is followed by another.
package enum Backoff {
    /// A wait drawn from nothing up to an end that doubles with each failure in a row, so that transfers that failed
    /// together do not come back together. What the server asked for (`Retry-After`) comes on top, up to a day.
    package static func delay(failuresInARow: Int, retryAfter: Duration?, random: UInt64) -> Duration {
        let doublings = Int64(min(max(failuresInARow, 1), 17) - 1)
        let end = min(base.microseconds << doublings, ceiling.microseconds)
        let width = UInt64(end - floor.microseconds + 1)
        let drawn = Int64(random.multipliedFullWidth(by: width).high)
        let jitter = floor.microseconds + drawn
        let asked = min(max(retryAfter ?? .zero, .zero), longestAsked)
        return Duration(microseconds: asked.microseconds + jitter)
    }

    private static let base = Duration.seconds(1)
    private static let ceiling = Duration.seconds(300)
    private static let floor = Duration.milliseconds(100)
    private static let longestAsked = Duration.seconds(86_400)
}
