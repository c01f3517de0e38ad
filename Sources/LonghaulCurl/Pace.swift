import LonghaulCore

/// The rate limit of an exchange, in either direction. libcurl's own limiter forgets what was moved too quickly when its limit is set anew, as a
/// shared rate is every second, and may then rest for minutes.
struct Pace {
    /// Bytes for each second.
    var rate: Int64
    /// Bytes that may be taken now; below 0 after a chunk that could not be divided.
    private var allowance: Int64 = 0
    private var last: Int64

    init(rate: Int64, at now: Int64) {
        self.rate = max(rate, 1)
        last = now
    }

    /// Whether bytes may be taken at this moment, in monotonic nanoseconds. What was not used in a quarter of a second
    /// is lost.
    mutating func allows(at now: Int64) -> Bool {
        let elapsed = min(max(now - last, 0), 60_000_000_000)
        let (product, overflow) = rate.multipliedReportingOverflow(by: elapsed)
        let gain = overflow ? .max : product / 1_000_000_000
        // Too short a time for a byte is not used up.
        guard gain > 0 else { return allowance > 0 }
        last = now
        let (sum, isMore) = allowance.addingReportingOverflow(gain)
        allowance = min(isMore ? .max : sum, max(rate / 4, 1))
        return allowance > 0
    }

    mutating func use(_ count: Int) { allowance -= Int64(count) }

    /// Nanoseconds until bytes may be taken, 10 milliseconds at least: so many wake-ups are enough.
    var wait: Int64 {
        let (product, overflow) = (1 - allowance).multipliedReportingOverflow(by: 1_000_000_000)
        return max(overflow ? .max / 4 : product / rate, 10_000_000)
    }
}
