/// A wall-clock instant, in whole microseconds since 1970-01-01 00:00 UTC.
///
/// Dates that are stored are wall-clock dates: they survive a reboot, and move with the clock when it is
/// set. Deadlines inside one process use a monotonic clock instead.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC.
    package var microseconds: Int64

    /// Makes the instant that lies `microseconds` after the start of 1970.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Makes the instant that lies `seconds` after the start of 1970; the far ends of the calendar saturate.
    public init(seconds: Int64) {
        microseconds = seconds * 1_000_000
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        microseconds.dividedDown(by: 1_000_000)
    }

    /// What `seconds` leaves over: 0 to 999 999.
    package var microsecondOfSecond: Int64 {
        let rest = microseconds % 1_000_000
        return rest < 0 ? rest + 1_000_000 : rest
    }

    /// The order of time: earlier instants come first.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The instant that lies `duration` after this one; the far ends of the calendar saturate.
    public static func + (instant: WallTime, duration: Duration) -> WallTime {
        WallTime(microseconds: instant.microseconds + duration.microseconds)
    }

    /// The instant that lies `duration` before this one; the far ends of the calendar saturate.
    package static func - (instant: WallTime, duration: Duration) -> WallTime {
        WallTime(microseconds: instant.microseconds - duration.microseconds)
    }

    /// How long after `earlier` this instant lies, negative when it lies before; saturates.
    package static func - (later: WallTime, earlier: WallTime) -> Duration {
        Duration(microseconds: later.microseconds - earlier.microseconds)
    }
}
