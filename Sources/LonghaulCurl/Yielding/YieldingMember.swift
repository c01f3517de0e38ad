import CCurl
import LonghaulCore
import LonghaulSystem

/// An exchange that yields to other traffic. It uses an unshared HTTP/1.1 connection, so that slowing the connection
/// slows only this exchange. Owned by the network thread.
final class YieldingMember {
    /// The state of a connection at a check.
    struct Measurement {
        /// Microseconds; 0 if unknown.
        var roundTrip: Int64
        /// The shortest round trip time that the kernel knows, at the first check that has one.
        var idleRoundTrip: Int64?
        /// Bytes in a packet.
        var segment: Int64
        /// Bytes transferred since the last check.
        var gained: Int64
        /// The same as the network interface counts them: a retransmitted byte counts again, and a byte counts before
        /// it has arrived.
        var carried: Int64
    }

    /// The read size for an exchange that yields by its pace.
    static let pacedBuffer = 64 << 10
    /// The kernel's receive buffer for a paced connection: enough for a typical link, and little to deliver after the
    /// pace was lowered.
    private static let pacedRoom = 256 << 10

    let exchange: Exchange
    let way: YieldingConnections.Path
    /// The connection's counters at the last check; `nil` before the first one.
    private var counted: (moved: Int64, carried: Int64)?
    private var knowsIdleRoundTrip = false
    /// The number of bytes in a sent packet, as far as it is known.
    private var segment: Int64 = 1_448
    /// The number of bytes that may be in flight.
    private var window = YieldWindow().size
    /// Whether libcurl waits for room in that window.
    private var waits = false

    init(_ exchange: Exchange) {
        self.exchange = exchange
        let isUpload = exchange.body?.length ?? 0 > 0
        way = YieldingConnections.Path(host: exchange.url.host, direction: isUpload ? .sending : .receiving)
    }

    /// Returns whether an exchange yields by reading more slowly, because a bounded window might never reopen.
    static func isPaced(_ exchange: Exchange) -> Bool {
        exchange.plan.yields && !exchange.thread.boundsWindows && exchange.body?.length ?? 0 == 0
    }

    /// Prepares a socket before it connects.
    static func prepare(_ socket: Int32, of exchange: Exchange) {
        if isPaced(exchange) { LentDescriptor(socket).boundReceiveBuffer(pacedRoom) }
    }

    /// The connection, on either path.
    var connection: LentDescriptor? { Self.connection(of: exchange) }

    private static func connection(of exchange: Exchange) -> LentDescriptor? {
        exchange.descriptor.map { LentDescriptor($0) }
    }

    /// Returns the network path of a response's body; `nil` while it is unknown.
    static func way(of exchange: Exchange) -> PathMetrics? {
        guard exchange.isAtWork, let sight = connection(of: exchange)?.connectionSight,
            YieldWindow.isKnown(sight.leastRoundTrip)
        else { return nil }
        return PathMetrics(
            least: sight.leastRoundTrip, present: sight.receiverRoundTrip, pause: sight.receivePause)
    }

    /// Checks the connection. Returns `nil` if there is none.
    func measure() -> Measurement? {
        guard exchange.isAtWork, let sight = connection?.connectionSight else { return nil }
        let isUpload = way.direction == .sending
        let counters = isUpload ? (sight.acknowledged, sight.sent) : (sight.received, sight.received)
        let before = counted
        counted = counters
        if isUpload, sight.sentSegment > 0 { segment = sight.sentSegment }
        var roundTrip = isUpload ? sight.roundTrip : sight.receiverRoundTrip
        if !YieldWindow.isKnown(roundTrip) { roundTrip = sight.roundTrip }
        let least = sight.leastRoundTrip
        let isNew = !knowsIdleRoundTrip && YieldWindow.isKnown(least)
        if isNew { knowsIdleRoundTrip = true }
        return Measurement(
            roundTrip: roundTrip, idleRoundTrip: isNew ? least : nil,
            segment: isUpload ? sight.sentSegment : sight.receivedSegment,
            gained: max(counters.0 - (before?.moved ?? counters.0), 0),
            carried: max(counters.1 - (before?.carried ?? counters.1), 0))
    }

    /// Applies the exchange's share of the window, or of the matching pace.
    func apply(_ room: YieldingConnections.PaceLimit) {
        guard exchange.wire.easy != nil else { return }
        window = room.window
        if way.direction == .sending {
            guard waits, self.room > 0 else { return }
            waits = false
            exchange.proceed()
        } else if Self.isPaced(exchange) {
            adopt(min(room.pace, exchange.plan.rateLimit ?? .max))
        } else if room.isNew {
            // The kernel widens windows automatically.
            connection?.boundWindow(room.window)
        }
    }

    /// The number of bytes that the connection may accept now.
    var room: Int64 {
        guard way.direction == .sending else { return .max }
        return YieldWindow.room(in: window, underWay: connection?.unsentBytes ?? 0, segment: segment)
    }

    /// Pauses libcurl until the window has room.
    func wait() -> Int {
        waits = true
        return Int(CURL_READFUNC_PAUSE)
    }

    /// Removes the limit, because the connection may carry exchanges that do not yield from here on.
    func end() {
        if way.direction == .receiving, exchange.thread.boundsWindows { connection?.boundWindow(.max) }
    }

    private func adopt(_ rate: Int64) {
        guard exchange.limits.pace != nil else { return exchange.limits.setRate(rate, at: exchange.thread.now) }
        exchange.limits.pace?.rate = max(rate, 1)
    }

    /// Applies a change by the user or the conditions.
    static func setYields(_ yields: Bool, of exchange: Exchange) {
        guard exchange.plan.yields != yields else { return }
        exchange.plan.yields = yields
        guard let easy = exchange.wire.easy else { return }
        let thread = exchange.thread
        if yields {
            // A shared connection cannot be slowed: the next attempt gets its own.
            guard easy.long(CURLINFO_HTTP_VERSION) < CURL_HTTP_VERSION_2_0 else { return }
            thread.yielding.add(exchange, at: thread.now)
            if exchange.body?.length ?? 0 > 0 || isPaced(exchange) { exchange.direct?.giveBack() }
        } else {
            thread.yielding.remove(exchange)
            exchange.limits.setRate(exchange.plan.rateLimit, at: thread.now)
            if exchange.limits.restsUntil != nil { exchange.endRest() } else { exchange.proceed() }
        }
    }
}
