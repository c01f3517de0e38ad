/// The network path of a connection, as the kernel measures it.
package struct PathMetrics: Equatable, Sendable {
    /// The shortest round trip, in nanoseconds.
    package var roundTrip: Int64
    /// Whether packets seem to queue on the path: the line is full, with any traffic.
    package var isFull: Bool
    /// Whether no data has arrived for a while. Over a full line data arrives steadily. A server that limits its rate sends in
    /// bursts; the receiver's round trip is measured up to the first packet after a pause, and so includes the pause.
    package var pauses: Bool

    package init(roundTrip: Int64, isFull: Bool, pauses: Bool = false) {
        self.roundTrip = roundTrip
        self.isFull = isFull
        self.pauses = pauses
    }

    /// - Parameters:
    ///   - least: The shortest recent round trip, in microseconds.
    ///   - present: The current round trip, which includes queuing; 0 if it is unknown.
    ///   - pause: Milliseconds since data last arrived.
    package init(least: Int64, present: Int64, pause: Int64 = 0) {
        self.init(
            roundTrip: least * 1_000, isFull: present > least + max(least / 2, Self.leastQueue),
            pauses: pause >= max(Self.leastPause, least / 1_000))
    }

    /// With this latency a connection takes long to open its window, and each lost packet closes the window for long.
    package var isFar: Bool { roundTrip >= 20_000_000 }

    /// A smaller increase of the round trip, in microseconds, is not a queue.
    private static let leastQueue: Int64 = 15_000
    /// At 30 kB/s, packets of 1500 bytes arrive more often than this, in milliseconds.
    private static let leastPause: Int64 = 50
}

/// Conclusions from several samples of a network path.
struct FlightWatch: Equatable, Sendable {
    /// How long a pause proves that the line is not full.
    private static let pauseSpan: Int64 = 4_000_000_000

    private var since: Int64?
    private var received: Int64 = 0
    /// Bytes per second in the last whole round trip.
    private var rate: Int64?
    /// Whether each round trip brings more than the one before: then windows are still opening, and limit the rate.
    private(set) var areGrowing = false
    private var pausedAt: Int64?

    func isLineFull(_ look: SegmentPolicy.Measurement) -> Bool {
        guard look.way?.isFull == true else { return false }
        return pausedAt.map { look.now - $0 >= Self.pauseSpan } ?? true
    }

    mutating func update(_ look: SegmentPolicy.Measurement) {
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
