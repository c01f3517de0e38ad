/// A wall-clock instant, in whole microseconds since 1970-01-01 00:00 UTC.
///
/// Dates that are stored are wall-clock dates: they survive a reboot, and move with the clock when it is
/// set. Deadlines inside one process use a monotonic clock instead.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC.
    public var microseconds: Int64

    /// Makes the instant that lies `microseconds` after the start of 1970.
    public init(microseconds: Int64) {
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

    /// The instant `span` after this one; the far ends of the calendar saturate.
    public static func + (instant: WallTime, span: Span) -> WallTime {
        WallTime(microseconds: instant.microseconds + span.microseconds)
    }

    /// How long after `earlier` this instant lies, negative when it lies before; saturates.
    public static func - (later: WallTime, earlier: WallTime) -> Span {
        Span(microseconds: later.microseconds - earlier.microseconds)
    }
}

/// A length of time in whole microseconds, as it is stored and sent.
public struct Span: Hashable, Comparable, Sendable {
    /// The length in microseconds.
    public var microseconds: Int64

    /// Makes a span of `microseconds`.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// No time at all.
    public static let zero = Span(microseconds: 0)

    /// A span of whole `count` seconds; saturates.
    public static func seconds(_ count: Int64) -> Span {
        Span(microseconds: count * 1_000_000)
    }

    /// A span of whole `count` milliseconds; saturates.
    public static func milliseconds(_ count: Int64) -> Span {
        Span(microseconds: count * 1_000)
    }

    /// Whole seconds, rounded towards zero.
    public var seconds: Int64 { microseconds / 1_000_000 }

    /// Shorter spans come first.
    public static func < (left: Span, right: Span) -> Bool {
        left.microseconds < right.microseconds
    }
}
