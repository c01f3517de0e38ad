/// Detects whether other programs of this machine use the network interface, by its counter and the traffic of this
/// process.
package struct OthersTraffic: Equatable, Sendable {
    /// The share of packet headers in the counter: a 20th of the bodies' bytes.
    private static let overhead: Int64 = 20
    /// The rate below which others count as idle, in bytes per second.
    private static let smallestRate: Int64 = 32 << 10
    /// The minimum time between two measurements, in nanoseconds.
    package static let interval: Int64 = 100_000_000

    private var last: (counter: Int64, own: Int64, at: Int64)?
    /// The highest rate measured on the interface, in bytes per second.
    private var best: Int64 = 0
    package private(set) var areBusy = false

    package init() {}

    package static func == (left: OthersTraffic, right: OthersTraffic) -> Bool {
        left.best == right.best && left.areBusy == right.areBusy && left.last?.at == right.last?.at
            && left.last?.counter == right.last?.counter && left.last?.own == right.last?.own
    }

    /// Returns whether the counter is due to be read again.
    package func isDue(at now: Int64) -> Bool { last.map { now - $0.at >= Self.interval } ?? true }

    /// Takes the interface's counter, and the total bytes of this process's background transfers.
    package mutating func update(counter: Int64, own: Int64, at now: Int64) {
        defer { last = (counter, own, now) }
        // A counter that was reset, or a long pause, gives no measurement.
        guard let last, counter >= last.counter, own >= last.own, now - last.at < 10 * Self.interval else {
            areBusy = false
            return
        }
        let elapsed = max(now - last.at, 1)
        let mine = own - last.own
        let all = counter - last.counter
        let others = max(all - mine - mine / Self.overhead, 0)
        best = max(best, Self.rate(all, elapsed))
        // An eighth: acknowledgements and mail checks use less.
        areBusy = Self.rate(others, elapsed) > max(best / 8, Self.smallestRate)
    }

    private static func rate(_ bytes: Int64, _ nanoseconds: Int64) -> Int64 {
        bytes * 1_000_000_000 / nanoseconds
    }
}
