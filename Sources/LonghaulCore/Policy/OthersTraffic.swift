/// Whether other programs of this machine use the network interface, judged by its counter and by what is known to be one's own.
package struct OthersTraffic: Equatable, Sendable {
    /// What the counter has beyond the bytes of bodies: the heads of packets, a 20th.
    private static let overhead: Int64 = 20
    /// Less than this is nobody, in bytes a second.
    private static let smallestRate: Int64 = 32 << 10
    /// How long one look lasts at least, in nanoseconds.
    package static let interval: Int64 = 100_000_000

    private var last: (counter: Int64, own: Int64, at: Int64)?
    /// The most that the interface was seen to carry, in bytes a second.
    private var best: Int64 = 0
    package private(set) var areBusy = false

    package init() {}

    package static func == (left: OthersTraffic, right: OthersTraffic) -> Bool {
        left.best == right.best && left.areBusy == right.areBusy && left.last?.at == right.last?.at
            && left.last?.counter == right.last?.counter && left.last?.own == right.last?.own
    }

    /// Whether the counter is to be read again.
    package func isDue(at now: Int64) -> Bool { last.map { now - $0.at >= Self.interval } ?? true }

    /// Takes in the interface's counter and all bytes of one's own background transfers.
    package mutating func note(counter: Int64, own: Int64, at now: Int64) {
        defer { last = (counter, own, now) }
        // A counter that was set back, or a long pause, tells nothing.
        guard let last, counter >= last.counter, own >= last.own, now - last.at < 10 * Self.interval else {
            areBusy = false
            return
        }
        let elapsed = max(now - last.at, 1)
        let mine = own - last.own
        let all = counter - last.counter
        let others = max(all - mine - mine / Self.overhead, 0)
        best = max(best, Self.rate(all, elapsed))
        // An eighth: what acknowledgements and looks at a mailbox take is less.
        areBusy = Self.rate(others, elapsed) > max(best / 8, Self.smallestRate)
    }

    private static func rate(_ bytes: Int64, _ nanoseconds: Int64) -> Int64 {
        bytes * 1_000_000_000 / nanoseconds
    }
}
