import LonghaulCore

/// The activity of an exchange. It is checked a few times per timeout, and never per chunk.
struct Activity {
    private var lastSeen: Int64 = 0
    private var lastSum: Int64 = -1
    /// Bytes of a redirect's body that were discarded.
    var dropped = 0

    mutating func begin(at now: Int64) {
        lastSeen = now
        lastSum = -1
        dropped = 0
    }

    /// Records the sum of all counters of the exchange. Any change counts as activity, and so does a pause by Longhaul
    /// itself.
    mutating func update(sum: Int64, isHeld: Bool, at now: Int64) {
        if sum != lastSum || isHeld { lastSeen = now }
        lastSum = sum
    }

    /// Returns the nanoseconds without activity.
    func silence(at now: Int64) -> Int64 { now - lastSeen }
}
