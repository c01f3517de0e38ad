/// What the way between the two ends of a connection is like, as the kernel sees it.
package struct WaySight: Equatable, Sendable {
    /// The shortest round trip, in nanoseconds.
    package var roundTrip: Int64
    /// Whether packets wait on the way: the line is full, by whomever.
    package var isFull: Bool

    package init(roundTrip: Int64, isFull: Bool) {
        self.roundTrip = roundTrip
        self.isFull = isFull
    }

    /// - Parameters:
    ///   - least: The shortest round trip of late, in microseconds.
    ///   - present: The present one, which is longer by what packets wait; 0 where it is not known.
    package init(least: Int64, present: Int64) {
        self.init(
            roundTrip: least * 1_000, isFull: present > least + max(least / 2, Self.leastQueue))
    }

    /// So far away a connection takes long to open its window, and each lost packet closes it for long.
    package var isFar: Bool { roundTrip >= 20_000_000 }

    /// A round trip that is longer by less, in microseconds, is no queue.
    private static let leastQueue: Int64 = 15_000
}

/// Whether each round trip brings more than the one before: then windows are still opening, and say how fast it goes.
struct FlightWatch: Equatable, Sendable {
    private var since: Int64?
    private var received: Int64 = 0
    /// Bytes a second, in the last whole round trip.
    private var rate: Int64?
    private(set) var areGrowing = false

    mutating func look(_ look: SegmentPolicy.Look) {
        guard let way = look.way else { return }
        guard let begun = since else {
            since = look.now
            received = look.received
            return
        }
        let span = look.now - begun
        guard span > 0, span >= way.roundTrip else { return }
        let latest = Int64(Double(look.received - received) * 1_000_000_000 / Double(span))
        if let rate { areGrowing = latest / 5 * 4 >= rate }
        rate = latest
        since = look.now
        received = look.received
    }
}
