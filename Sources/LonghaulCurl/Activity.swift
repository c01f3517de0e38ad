import LonghaulCore

/// What is known of an exchange's signs of life, looked at a few times in each of its time-outs and never per chunk.
struct Activity {
    private var lastSeen: Int64 = 0
    private var lastSum: Int64 = -1
    /// Bytes of a redirect's body that were dropped.
    var dropped = 0

    mutating func begin(at now: Int64) {
        lastSeen = now
        lastSum = -1
        dropped = 0
    }

    /// Notes the sum of all counters of the exchange; any change is a sign of life. A pause of our own is one too.
    mutating func note(sum: Int64, isHeld: Bool, at now: Int64) {
        if sum != lastSum || isHeld { lastSeen = now }
        lastSum = sum
    }

    /// Nanoseconds without a sign of life.
    func silence(at now: Int64) -> Int64 { now - lastSeen }
}
