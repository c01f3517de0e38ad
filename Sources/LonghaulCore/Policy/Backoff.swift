/// How long to wait before a failed attempt is followed by another.
package enum Backoff {
    /// Returns the transfer's own wait: a random time up to a limit that doubles with each failure in
    /// a row, so that transfers that failed together do not return together. The server's time
    /// (`Retry-After`) comes on top.
    package static func delay(failuresInARow: Int, retryAfter: Duration?, random: UInt64) -> Duration {
        let doublings = Int64(min(max(failuresInARow, 1), 17) - 1)
        let end = min(base.microseconds << doublings, ceiling.microseconds)
        let width = UInt64(end - floor.microseconds + 1)
        let drawn = Int64(random.multipliedFullWidth(by: width).high)
        let jitter = floor.microseconds + drawn
        return Duration(microseconds: stated(retryAfter ?? .zero).microseconds + jitter)
    }

    /// Returns the wait that a server stated (`Retry-After`), a day at most. Other transfers with
    /// its host wait for no more than this.
    package static func stated(_ retryAfter: Duration) -> Duration { min(max(retryAfter, .zero), longestAsked) }

    /// 15 s to 30 s: rare enough to cost nothing, soon enough to be noticed.
    package static func pollingDelay(_ random: UInt64) -> Duration {
        .milliseconds(15_000 + Int64(random % 15_000))
    }

    /// Returns how long a transfer waits after a failed name lookup. No message says that a
    /// resolver works again.
    ///
    /// A lookup that nothing answers takes the resolver up to 10 s (glibc: two tries of 5 s), and
    /// its second try already finds a resolver that has recovered. With 4 s at most between
    /// lookups, a transfer continues within 10 s. After some ten minutes (200 lookups of a resolver
    /// that fails at once) the wait is the one for any network.
    package static func lookupDelay(failedLookups: Int, _ random: UInt64) -> Duration {
        failedLookups > frequentLookups ? pollingDelay(random) : .milliseconds(2_000 + Int64(random % 2_000))
    }

    private static let frequentLookups = 200
    private static let base = Duration.seconds(1)
    private static let ceiling = Duration.seconds(300)
    private static let floor = Duration.milliseconds(100)
    private static let longestAsked = Duration.seconds(86_400)
}
