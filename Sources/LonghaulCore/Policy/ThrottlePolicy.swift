/// Decides how long an app gets no background tasks after its handlers overran or crashed.
///
/// Each strike doubles the time, up to the longest. A run that returns in time halves the strikes, and each longest
/// time that passes after the end of the throttle removes one strike.
package enum ThrottlePolicy {
    /// More doublings change nothing.
    private static let countLimit = 24

    package static func recordStrike(
        _ throttle: BackgroundTaskThrottle, _ settings: BackgroundTaskSettings, at now: WallTime
    ) -> BackgroundTaskThrottle {
        var throttle = throttle
        throttle.strikes = min(max(0, decayed(throttle, settings, at: now)) + 1, countLimit)
        throttle.lastStrikeAt = now
        throttle.until = now + delay(strikes: throttle.strikes, settings)
        return throttle
    }

    package static func recordReturn(_ throttle: BackgroundTaskThrottle) -> BackgroundTaskThrottle {
        var throttle = throttle
        throttle.strikes /= 2
        if throttle.strikes == 0 { throttle.until = nil }
        return throttle
    }

    /// Returns until when no task is given to the app; `nil` if one may be given now. An end further ahead than the
    /// longest throttle was written before the clock was set back, and does not count.
    package static func holdEnd(
        _ throttle: BackgroundTaskThrottle, _ settings: BackgroundTaskSettings, at now: WallTime
    ) -> WallTime? {
        guard let until = throttle.until, until > now, until <= now + settings.throttleLongest else { return nil }
        return until
    }

    /// Returns the throttle time for a number of strikes.
    package static func delay(strikes: Int, _ settings: BackgroundTaskSettings) -> Duration {
        guard strikes > 0 else { return .zero }
        let doublings = min(strikes - 1, countLimit)
        let doubled = Duration(microseconds: settings.throttleFirst.microseconds * (1 << Int64(doublings)))
        return min(doubled, settings.throttleLongest)
    }

    private static func decayed(
        _ throttle: BackgroundTaskThrottle, _ settings: BackgroundTaskSettings, at now: WallTime
    ) -> Int {
        let longest = settings.throttleLongest.microseconds
        guard let until = throttle.until, longest > 0, now > until else { return throttle.strikes }
        return max(0, throttle.strikes - Int(min((now - until).microseconds / longest, Int64(countLimit))))
    }
}
