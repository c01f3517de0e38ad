/// What the way between the two ends of a connection is like, as the kernel sees it.
package struct WaySight: Equatable, Sendable {
    /// The shortest round trip, in nanoseconds.
    package var roundTrip: Int64
    /// Whether packets seem to wait on the way: the line is full, by whomever.
    package var isFull: Bool
    /// Whether no data has arrived for a while. Over a full line data arrives all the time. A server that limits its rate sends
    /// in bursts, and the receiver's round trip is measured up to the first packet behind a pause, so that it is as long.
    package var pauses: Bool

    package init(roundTrip: Int64, isFull: Bool, pauses: Bool = false) {
        self.roundTrip = roundTrip
        self.isFull = isFull
        self.pauses = pauses
    }

    /// - Parameters:
    ///   - least: The shortest round trip of late, in microseconds.
    ///   - present: The present one, which is longer by what packets wait; 0 where it is not known.
    ///   - pause: Milliseconds since data last arrived.
    package init(least: Int64, present: Int64, pause: Int64 = 0) {
        self.init(
            roundTrip: least * 1_000, isFull: present > least + max(least / 2, Self.leastQueue),
            pauses: pause >= max(Self.leastPause, least / 1_000))
    }

    /// So far away a connection takes long to open its window, and each lost packet closes it for long.
    package var isFar: Bool { roundTrip >= 20_000_000 }

    /// A round trip that is longer by less, in microseconds, is no queue.
    private static let leastQueue: Int64 = 15_000
    /// Packets of 1500 bytes come in less time at 30 kB/s, in milliseconds.
    private static let leastPause: Int64 = 50
}

/// Conclusions from several samples of a network path.
struct FlightWatch: Equatable, Sendable {
    /// How long a pause proves that the line is not full.
    private static let pauseSpan: Int64 = 4_000_000_000

    private var since: Int64?
    private var received: Int64 = 0
    /// Bytes a second, in the last whole round trip.
    private var rate: Int64?
    /// Whether each round trip brings more than the one before: then windows are still opening, and say how fast it goes.
    private(set) var areGrowing = false
    private var pausedAt: Int64?

    func isLineFull(_ look: SegmentPolicy.Look) -> Bool {
        guard look.way?.isFull == true else { return false }
        return pausedAt.map { look.now - $0 >= Self.pauseSpan } ?? true
    }

    mutating func look(_ look: SegmentPolicy.Look) {
        guard let way = look.way else { return }
        if way.pauses { pausedAt = look.now }
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
