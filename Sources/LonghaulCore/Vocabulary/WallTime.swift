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

    /// Makes the instant that lies `seconds` after the start of 1970.
    public init(seconds: Int64) {
        microseconds = seconds * 1_000_000
    }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
    }

    /// The order of time: earlier instants come first.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The instant `span` after this one; the far ends of the calendar saturate.
    public static func + (instant: WallTime, span: Span) -> WallTime {
        let (sum, overflow) = instant.microseconds.addingReportingOverflow(span.microseconds)
        return WallTime(microseconds: overflow ? (span.microseconds > 0 ? .max : .min) : sum)
    }

    /// How long after `earlier` this instant lies; negative when it lies before.
    public static func - (later: WallTime, earlier: WallTime) -> Span {
        let (difference, overflow) = later.microseconds.subtractingReportingOverflow(earlier.microseconds)
        return Span(microseconds: overflow ? (later > earlier ? .max : .min) : difference)
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
        let (product, overflow) = count.multipliedReportingOverflow(by: 1_000_000)
        return Span(microseconds: overflow ? (count > 0 ? .max : .min) : product)
    }

    /// A span of whole `count` milliseconds; saturates.
    public static func milliseconds(_ count: Int64) -> Span {
        let (product, overflow) = count.multipliedReportingOverflow(by: 1_000)
        return Span(microseconds: overflow ? (count > 0 ? .max : .min) : product)
    }

    /// Whole seconds, rounded towards zero.
    public var seconds: Int64 { microseconds / 1_000_000 }

    /// Shorter spans come first.
    public static func < (left: Span, right: Span) -> Bool {
        left.microseconds < right.microseconds
    }
}
