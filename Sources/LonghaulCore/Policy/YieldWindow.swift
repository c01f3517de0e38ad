/// Limits the bytes in flight of a background transfer, so that it uses only bandwidth that others leave.
///
/// A full link causes a queue in front of it, and the queue causes delay. The window grows while packets are hardly
/// later than on an idle path, and shrinks in proportion to the delay (after LEDBAT, RFC 6817, and its receiver-side
/// variant, rLEDBAT, RFC 9840). If other programs fill the queue, the transfer yields; alone, it keeps the link full.
///
/// A router that serves all connections in turn hides its queue. The traffic of programs on this machine is detected by
/// the counter of the network interface instead, as BITS does on Windows.
package struct YieldWindow: Equatable, Sendable {
    /// The target of the delay beyond that of an idle path, in microseconds.
    package static let target: Int64 = 15_000
    /// The default and the maximum number of bytes in a packet.
    private static let segments: ClosedRange<Int64> = 1_448...65_536

    /// The overhead of TLS for one write, with a margin.
    private static let framing: Int64 = 64
    /// The longest period, in nanoseconds. No path has a longer round trip.
    private static let longest: Int64 = 2_000_000_000

    /// The bytes that may be in flight on all connections together.
    package private(set) var size = 10 * segments.lowerBound
    /// The number of bytes in a packet. A window smaller than a packet would stop the connection.
    private var segment = segments.lowerBound
    /// The delay of an idle path, as far as it is known.
    private var base = BaseDelay()
    /// The shortest delay since the last change of the window, in microseconds; `nil` if there was no sample.
    private var delay: Int64?
    private var period: Period?
    /// The delay of the last period.
    private var roundTrip: Int64?
    /// The best rate of the last periods, in bytes per second.
    private var rate: Int64 = 0
    /// Whether the capacity of the link has not been found yet.
    private var isStarting = true
    /// The number of periods in a row with almost no queue.
    private var idlePeriods = 0
    /// Until when the window does not grow, because other programs of this machine use the network.
    private var heldUntil: Int64 = 0
    /// The window before the measurement of the idle path.
    private var interrupted: Int64?

    /// The time between two changes, one round trip or a little more.
    private struct Period: Equatable {
        var start: Int64
        var moved: Int64
        var end: Int64
    }

    package init() {}

    /// The minimum window. A connection with less is as good as stopped, and cannot measure the delay.
    package var least: Int64 { 2 * segment }

    /// Returns whether the kernel's round trip time, in microseconds, is valid. Before the kernel has measured one, it
    /// reports 0 or a meaningless number.
    package static func isKnown(_ roundTrip: Int64) -> Bool { (1..<60_000_000).contains(roundTrip) }

    /// Returns how many bytes a sender may send now: enough to fill packets in pairs. A receiver acknowledges each
    /// second packet at once and may delay a single one (RFC 1122, section 4.2.3.2), which would look like a queue.
    package static func room(in window: Int64, underWay: Int64, segment: Int64) -> Int64 {
        let pair = 2 * max(segment, 1)
        let free = window - max(underWay, 0)
        return free < pair ? 0 : max(free - free % pair - framing, 1)
    }

    /// Takes the round trip time of the idle path before the first sample, in microseconds.
    package mutating func learn(idleRoundTrip: Int64, at now: Int64) {
        if idleRoundTrip > 0 { base.observe(idleRoundTrip, at: now) }
    }

    /// Takes the number of bytes in a connection's packets.
    package mutating func learn(segment: Int64) {
        self.segment = min(max(segment, self.segment), Self.segments.upperBound)
        size = max(size, least)
    }

    /// Takes a sample of a connection's round trip time, in microseconds.
    package mutating func observe(roundTrip: Int64, at now: Int64) {
        guard roundTrip > 0 else { return }
        base.observe(roundTrip, at: now)
        delay = min(delay ?? .max, roundTrip)
    }

    /// Changes the window after a round trip. `moved` counts all bytes so far; `now` is the time of a monotonic clock
    /// in nanoseconds. Returns whether the period has ended.
    package mutating func step(moved: Int64, othersAreBusy: Bool, at now: Int64) -> Bool {
        guard let period else {
            begin(moved, at: now)
            return true
        }
        guard now >= period.end, let delay else { return false }
        let elapsed = max(now - period.start, 1)
        let gained = max(moved - period.moved, 0)
        rate = max(gained * 1_000_000_000 / elapsed, rate - rate / 8)
        if othersAreBusy { heldUntil = now + 1_000_000_000 }
        roundTrip = delay
        adapt(to: delay, othersAreBusy: othersAreBusy, at: now)
        begin(moved, at: now)
        return true
    }

    /// Returns the window of one of several connections.
    package func share(of connections: Int) -> Int64 { max(size / Int64(max(connections, 1)), least) }

    /// The rate that keeps the window full, in bytes per second, for connections whose window cannot be set.
    package var pace: Int64 { size * 1_000_000 / max(roundTrip ?? base.value, 1_000) }

    private mutating func begin(_ moved: Int64, at now: Int64) {
        let length = (delay ?? base.value) * 1_000
        period = Period(start: now, moved: moved, end: now + min(max(length, 10_000_000), Self.longest))
        delay = nil
    }

    private mutating func adapt(to delay: Int64, othersAreBusy: Bool, at now: Int64) {
        if base.isToBeMeasured(at: now) {
            interrupted = interrupted ?? size
            size = least
            return
        }
        if let before = interrupted {
            size = before
            interrupted = nil
        }
        let queue = max(delay - base.value, 0)
        if othersAreBusy {
            isStarting = false
            size = size / 2
        } else if queue > Self.target {
            isStarting = false
            idlePeriods = 0
            size = shrunk(by: queue)
        } else if heldUntil <= now {
            grow(queue)
        }
        size = min(max(size, least), ceiling(delay))
    }

    /// Returns the smaller window. A queue of twice the target or more halves it.
    private func shrunk(by queue: Int64) -> Int64 {
        let excess = min(queue - Self.target, Self.target / 2)
        return size - size / Self.target * excess - size % Self.target * excess / Self.target
    }

    private mutating func grow(_ queue: Int64) {
        if isStarting, queue <= Self.target / 4 * 3 {
            size += size / 2
            return
        }
        isStarting = false
        idlePeriods = queue < Self.target / 5 ? idlePeriods + 1 : 0
        if idlePeriods >= 4 {
            // The other traffic has ended.
            size += size / 4
        } else {
            let gain = size / 100 * 6
            size += max(segment, gain - gain / Self.target * queue - gain % Self.target * queue / Self.target)
        }
    }

    /// Returns the maximum window: a server that is slower than the link must not let the window grow without limit.
    private func ceiling(_ delay: Int64) -> Int64 {
        let underWay = rate * max(delay, 10_000) / 1_000_000
        return max(2 * underWay + 8 * segment, 10 * segment)
    }
}

/// The delay of an idle path: the shortest of the last minutes.
///
/// A transfer that always keeps a short queue never sees the idle path again, and the path itself may change. So the
/// window is small for a moment at the end of each minute.
struct BaseDelay: Equatable, Sendable {
    private static let minute: Int64 = 60_000_000_000

    private var earlier: [Int64] = []
    private var current: Int64 = .max
    private var begin: Int64?

    /// The delay in microseconds; 10 milliseconds if it is unknown.
    var value: Int64 {
        let least = min(current, earlier.min() ?? .max)
        return least == .max ? 10_000 : least
    }

    /// How long the window stays small, in nanoseconds: some round trips.
    private var pause: Int64 { max(150_000_000, 3_000 * value) }

    mutating func observe(_ delay: Int64, at now: Int64) {
        let start = begin ?? now
        if now - start > 4 * Self.minute {
            // After a long pause, earlier samples do not count.
            self = BaseDelay()
        } else if now - start > Self.minute + pause {
            earlier.append(current)
            if earlier.count > 3 { earlier.removeFirst() }
            current = .max
            begin = now
        }
        if begin == nil { begin = now }
        current = min(current, delay)
    }

    /// Returns whether the idle path is due to be measured.
    func isToBeMeasured(at now: Int64) -> Bool { begin.map { now - $0 > Self.minute } ?? false }
}
