import LonghaulCore

/// The rate limit of an exchange, in either direction. A shared rate changes every second, and libcurl's own limiter
/// discards its excess at each change, and may then pause for minutes.
struct Pace {
    /// Bytes per second.
    var rate: Int64
    /// Bytes that may be transferred now; negative after an indivisible chunk.
    private var allowance: Int64 = 0
    private var last: Int64

    init(rate: Int64, at now: Int64) {
        self.rate = max(rate, 1)
        last = now
    }

    /// Returns whether bytes may be transferred at this time, in monotonic nanoseconds. At most a quarter of a second
    /// of unused rate is kept.
    mutating func allows(at now: Int64) -> Bool {
        let elapsed = min(max(now - last, 0), 60_000_000_000)
        let (product, overflow) = rate.multipliedReportingOverflow(by: elapsed)
        let gain = overflow ? .max : product / 1_000_000_000
        // A time that is too short for a byte is not used up.
        guard gain > 0 else { return allowance > 0 }
        last = now
        let (sum, isMore) = allowance.addingReportingOverflow(gain)
        allowance = min(isMore ? .max : sum, max(rate / 4, 1))
        return allowance > 0
    }

    mutating func use(_ count: Int) { allowance -= Int64(count) }

    /// Nanoseconds until bytes may be transferred; at least 10 milliseconds, to limit the wake-ups.
    var wait: Int64 {
        let (product, overflow) = (1 - allowance).multipliedReportingOverflow(by: 1_000_000_000)
        return max(overflow ? .max / 4 : product / rate, 10_000_000)
    }
}
