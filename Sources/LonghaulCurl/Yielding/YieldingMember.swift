import CCurl
import LonghaulCore
import LonghaulSystem

/// An exchange that makes room for the traffic of others. It has a connection of its own, over HTTP/1.1: what is held back is all
/// that the connection carries. Owned by the network thread.
final class YieldingMember {
    /// One look at a connection.
    struct Sight {
        /// Microseconds; 0 when nothing is known.
        var roundTrip: Int64
        /// The shortest round trip that the kernel remembers, when that is first known.
        var idleRoundTrip: Int64?
        /// Bytes in a packet.
        var segment: Int64
        /// Bytes moved since the last look.
        var gained: Int64
        /// The same as the network interface counts them: a byte that is sent again counts again, and before it has arrived.
        var carried: Int64
    }

    /// What is read in one go where the pace makes room for others.
    static let pacedBuffer = 64 << 10
    /// What the kernel keeps unread of a connection that is paced: enough for a usual line, and little to come after the pace was
    /// lowered.
    private static let pacedRoom = 256 << 10

    let exchange: Exchange
    let way: YieldingConnections.Way
    /// The connection's counters at the last look; `nil` before the first one.
    private var counted: (moved: Int64, carried: Int64)?
    private var knowsIdleRoundTrip = false
    /// Bytes in a packet that leaves, as far as that is known.
    private var segment: Int64 = 1_448
    /// How much a body may have under way.
    private var window = YieldWindow().size
    /// Whether libcurl waits for room in that window.
    private var waits = false

    init(_ exchange: Exchange) {
        self.exchange = exchange
        let isUpload = exchange.body?.length ?? 0 > 0
        way = YieldingConnections.Way(host: exchange.url.host, direction: isUpload ? .sending : .receiving)
    }

    /// Whether an exchange is slowed by reading less, where a window that was bounded might never open again.
    static func isPaced(_ exchange: Exchange) -> Bool {
        exchange.plan.yields && !exchange.thread.boundsWindows && exchange.body?.length ?? 0 == 0
    }

    /// There is a socket, and a connection is tried with it.
    static func prepare(_ socket: Int32, of exchange: Exchange) {
        if isPaced(exchange) { LentDescriptor(socket).boundReceiveBuffer(pacedRoom) }
    }

    /// The connection, whoever reads from it.
    var connection: LentDescriptor? { Self.connection(of: exchange) }

    private static func connection(of exchange: Exchange) -> LentDescriptor? {
        exchange.descriptor.map { LentDescriptor($0) }
    }

    /// What the way is like over which a body comes; `nil` while that is not known.
    static func way(of exchange: Exchange) -> WaySight? {
        guard exchange.isAtWork, let sight = connection(of: exchange)?.connectionSight,
            YieldWindow.isKnown(sight.leastRoundTrip)
        else { return nil }
        return WaySight(
            least: sight.leastRoundTrip, present: sight.receiverRoundTrip, pause: sight.receivePause)
    }

    /// Looks at the connection; `nil` while there is none.
    func look() -> Sight? {
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
        return Sight(
            roundTrip: roundTrip, idleRoundTrip: isNew ? least : nil,
            segment: isUpload ? sight.sentSegment : sight.receivedSegment,
            gained: max(counters.0 - (before?.moved ?? counters.0), 0),
            carried: max(counters.1 - (before?.carried ?? counters.1), 0))
    }

    /// Takes its part of the window, or of the pace that fits the window.
    func take(_ room: YieldingConnections.Room) {
        guard exchange.wire.easy != nil else { return }
        window = room.window
        if way.direction == .sending {
            guard waits, self.room > 0 else { return }
            waits = false
            exchange.goOn()
        } else if Self.isPaced(exchange) {
            adopt(min(room.pace, exchange.plan.rateLimit ?? .max))
        } else if room.isNew {
            // The kernel widens windows by itself.
            connection?.boundWindow(room.window)
        }
    }

    /// Bytes that may be given to the connection now.
    var room: Int64 {
        guard way.direction == .sending else { return .max }
        return YieldWindow.room(in: window, underWay: connection?.unsentBytes ?? 0, segment: segment)
    }

    /// Has libcurl wait until the window has room.
    func wait() -> Int {
        waits = true
        return Int(CURL_READFUNC_PAUSE)
    }

    /// The connection may carry other exchanges from here on, which make no room.
    func end() {
        if way.direction == .receiving, exchange.thread.boundsWindows { connection?.boundWindow(.max) }
    }

    private func adopt(_ rate: Int64) {
        guard exchange.limits.pace != nil else { return exchange.limits.setRate(rate, at: exchange.thread.now) }
        exchange.limits.pace?.rate = max(rate, 1)
    }

    /// The person, or the conditions, want it otherwise.
    static func setYields(_ yields: Bool, of exchange: Exchange) {
        guard exchange.plan.yields != yields else { return }
        exchange.plan.yields = yields
        guard let easy = exchange.wire.easy else { return }
        let thread = exchange.thread
        if yields {
            // A connection that others share cannot be held back: the next attempt gets one of its own.
            guard easy.long(CURLINFO_HTTP_VERSION) < CURL_HTTP_VERSION_2_0 else { return }
            thread.yielding.add(exchange, at: thread.now)
            if exchange.body?.length ?? 0 > 0 || isPaced(exchange) { exchange.direct?.giveBack() }
        } else {
            thread.yielding.remove(exchange)
            exchange.limits.setRate(exchange.plan.rateLimit, at: thread.now)
            if exchange.limits.restsUntil != nil { exchange.endRest() } else { exchange.goOn() }
        }
    }
}
