/// The delays before a failed attempt is repeated.
package enum Backoff {
    /// Returns the transfer's own delay: a random time up to a limit that doubles with each failure in a row, so that
    /// transfers that failed together do not return together. The server's delay (`Retry-After`) is added.
    package static func delay(failuresInARow: Int, retryAfter: Duration?, random: UInt64) -> Duration {
        let doublings = Int64(min(max(failuresInARow, 1), 17) - 1)
        let end = min(base.microseconds << doublings, ceiling.microseconds)
        let width = UInt64(end - floor.microseconds + 1)
        let drawn = Int64(random.multipliedFullWidth(by: width).high)
        let jitter = floor.microseconds + drawn
        return Duration(microseconds: stated(retryAfter ?? .zero).microseconds + jitter)
    }

    /// Returns the delay that a server stated (`Retry-After`), at most a day. Other transfers with its host wait only
    /// this long.
    package static func stated(_ retryAfter: Duration) -> Duration { min(max(retryAfter, .zero), longestAsked) }

    /// Returns 15 s to 30 s: rare enough to cost nothing, soon enough for the user.
    package static func pollingDelay(_ random: UInt64) -> Duration {
        .milliseconds(15_000 + Int64(random % 15_000))
    }

    /// Returns the delay after a failed name lookup. No event reports that a resolver works again.
    ///
    /// A lookup without an answer takes the resolver up to 10 s (glibc: two tries of 5 s), and its second try already
    /// finds a resolver that has recovered. With at most 4 s between lookups, a transfer continues within 10 s. After
    /// about ten minutes (200 lookups of a resolver that fails at once), the delay is that of any network failure.
    package static func lookupDelay(failedLookups: Int, _ random: UInt64) -> Duration {
        failedLookups > frequentLookups ? pollingDelay(random) : .milliseconds(2_000 + Int64(random % 2_000))
    }

    private static let frequentLookups = 200
    private static let base = Duration.seconds(1)
    private static let ceiling = Duration.seconds(300)
    private static let floor = Duration.milliseconds(100)
    private static let longestAsked = Duration.seconds(86_400)
}
