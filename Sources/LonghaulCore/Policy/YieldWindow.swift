/// How many bytes the connections of a background transfer may have under way, so that they take what nobody else wants.
///
/// A full link shows itself as a queue in front of it, and the queue as delay. The window grows while packets are hardly later
/// than they were on an idle way, and shrinks by as much as they are later (after LEDBAT, RFC 6817, and its receiver's half,
/// rLEDBAT, RFC 9840). Other programs fill the queue, so that this one makes room for them; alone it keeps the link full.
///
/// A router that serves all connections in turn hides its queue. What programs of this machine move is seen by the counter of the
/// network interface instead, as BITS does on Windows.
package struct YieldWindow: Equatable, Sendable {
    /// The delay that the window aims at, in microseconds beyond that of an idle way.
    package static let target: Int64 = 15_000
    /// How many bytes a packet carries, as long as nothing else is known, and at most.
    private static let segments: ClosedRange<Int64> = 1_448...65_536

    /// What TLS adds to the bytes that it is given at once, and some more.
    private static let framing: Int64 = 64
    /// No way takes longer; in nanoseconds.
    private static let longest: Int64 = 2_000_000_000

    /// The bytes that may be under way on all connections together.
    package private(set) var size = 10 * segments.lowerBound
    /// How many bytes a packet carries. A window that holds no whole packet would stop the connection.
    private var segment = segments.lowerBound
    /// The delay of an idle way, as far as it is known.
    private var base = BaseDelay()
    /// The shortest delay since the window was changed last, in microseconds; `nil` when none was seen.
    private var delay: Int64?
    private var period: Period?
    /// The delay of the last period.
    private var roundTrip: Int64?
    /// Bytes in a second, as of the best of the last periods.
    private var rate: Int64 = 0
    /// Whether the end of the link has not been found yet.
    private var isStarting = true
    /// How many periods in a row found next to no queue.
    private var idlePeriods = 0
    /// Until when the window does not grow, since other programs of this machine are at work.
    private var heldUntil: Int64 = 0
    /// The window from before the look at the idle way.
    private var interrupted: Int64?

    /// The time between two changes, one round trip or a little more.
    private struct Period: Equatable {
        var start: Int64
        var moved: Int64
        var end: Int64
    }

    package init() {}

    /// A connection with less is as good as stopped, and cannot tell the delay.
    package var least: Int64 { 2 * segment }

    /// Whether the kernel means this round trip, in microseconds. Before it knows one it says 0 or a number without a meaning.
    package static func isKnown(_ roundTrip: Int64) -> Bool { (1..<60_000_000).contains(roundTrip) }

    /// What a sender may put on its way now: as many bytes as fill packets in pairs. A receiver acknowledges each second packet at once
    /// and may let a single one wait (RFC 1122, section 4.2.3.2), which would look like a queue.
    package static func room(in window: Int64, underWay: Int64, segment: Int64) -> Int64 {
        let pair = 2 * max(segment, 1)
        let free = window - max(underWay, 0)
        return free < pair ? 0 : max(free - free % pair - framing, 1)
    }

    /// Takes in what is known of the idle way before the first sample, in microseconds.
    package mutating func learn(idleRoundTrip: Int64, at now: Int64) {
        if idleRoundTrip > 0 { base.observe(idleRoundTrip, at: now) }
    }

    /// Takes in how many bytes the packets of a connection carry.
    package mutating func learn(segment: Int64) {
        self.segment = min(max(segment, self.segment), Self.segments.upperBound)
        size = max(size, least)
    }

    /// Takes in one sample of a connection's round trip, in microseconds.
    package mutating func observe(roundTrip: Int64, at now: Int64) {
        guard roundTrip > 0 else { return }
        base.observe(roundTrip, at: now)
        delay = min(delay ?? .max, roundTrip)
    }

    /// Changes the window when a round trip has passed. `moved` counts all bytes so far; `now` is in nanoseconds of a clock that
    /// never jumps. Answers whether the period has ended.
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

    /// The share of one of several connections.
    package func share(of connections: Int) -> Int64 { max(size / Int64(max(connections, 1)), least) }

    /// Bytes in a second that keep the window full, for connections whose window cannot be set.
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

    /// A queue of twice the target halves the window, and so does a longer one.
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
            // Whoever was there has gone.
            size += size / 4
        } else {
            let gain = size / 100 * 6
            size += max(segment, gain - gain / Self.target * queue - gain % Self.target * queue / Self.target)
        }
    }

    /// A server that is slower than the link must not let the window grow for ever.
    private func ceiling(_ delay: Int64) -> Int64 {
        let underWay = rate * max(delay, 10_000) / 1_000_000
        return max(2 * underWay + 8 * segment, 10 * segment)
    }
}

/// The delay of a way on which nobody waits: the shortest of the last minutes.
///
/// A transfer that keeps a short queue at all times never sees the idle way again, and the way itself may change. So at the end
/// of each minute the window is made small for a moment.
struct BaseDelay: Equatable, Sendable {
    private static let minute: Int64 = 60_000_000_000

    private var earlier: [Int64] = []
    private var current: Int64 = .max
    private var begin: Int64?

    /// Microseconds; 10 milliseconds when nothing is known.
    var value: Int64 {
        let least = min(current, earlier.min() ?? .max)
        return least == .max ? 10_000 : least
    }

    /// How long the window stays small, in nanoseconds: some round trips.
    private var pause: Int64 { max(150_000_000, 3_000 * value) }

    mutating func observe(_ delay: Int64, at now: Int64) {
        let start = begin ?? now
        if now - start > 4 * Self.minute {
            // After a rest nothing of what was known counts.
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

    /// Whether it is time to look at the idle way.
    func isToBeMeasured(at now: Int64) -> Bool { begin.map { now - $0 > Self.minute } ?? false }
}
