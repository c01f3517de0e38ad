/// A wall-clock time, in whole microseconds since 1970-01-01 00:00 UTC.
///
/// Stored times are wall-clock times: they survive a reboot, and follow the clock when it is set. Deadlines inside one process use a
/// monotonic clock instead.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC.
    package var microseconds: Int64

    /// Initializes the time `microseconds` after the start of 1970.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Creates the time `seconds` after the start of 1970. Saturates at the ends of the range.
    public init(seconds: Int64) {
        microseconds = seconds * 1_000_000
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        microseconds.dividedDown(by: 1_000_000)
    }

    /// The microseconds beyond `seconds`: 0 to 999 999.
    package var microsecondOfSecond: Int64 {
        let rest = microseconds % 1_000_000
        return rest < 0 ? rest + 1_000_000 : rest
    }

    /// Whether the left time is earlier.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Returns the time `duration` after this one. Saturates at the ends of the range.
    public static func + (instant: WallTime, duration: Duration) -> WallTime {
        WallTime(microseconds: instant.microseconds + duration.microseconds)
    }

    /// Returns the time `duration` before this one. Saturates at the ends of the range.
    package static func - (instant: WallTime, duration: Duration) -> WallTime {
        WallTime(microseconds: instant.microseconds - duration.microseconds)
    }

    /// Returns the time from `earlier` to this one, negative if this one is earlier. Saturates.
    package static func - (later: WallTime, earlier: WallTime) -> Duration {
        Duration(microseconds: later.microseconds - earlier.microseconds)
    }
}
