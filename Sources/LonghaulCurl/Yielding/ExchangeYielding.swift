import CCurl
import LonghaulCore
import LonghaulSystem

/// What an exchange of a background transfer knows of its connection.
struct Yielding {
    /// The connection's counter at the last look; `nil` before the first one.
    fileprivate var counted: Int64?
    /// How much a body may have under way.
    fileprivate var window = YieldWindow().size
    /// Whether libcurl waits for room in that window.
    fileprivate var waits = false
}

/// One look at a connection.
struct YieldSight {
    /// Microseconds; 0 when nothing is known.
    var roundTrip: Int64
    /// The shortest round trip that the kernel remembers, at the first look only.
    var idleRoundTrip: Int64?
    /// Bytes in a packet.
    var segment: Int64
    /// Bytes moved since the last look.
    var gained: Int64
}

// How an exchange makes room for the traffic of others. It has a connection of its own, over HTTP/1.1: what is held back is all that the
// connection carries.
extension Exchange {
    /// What the kernel keeps unread of a connection that is paced: enough for a usual line, and little to come after the pace was lowered.
    static let pacedRoom = 256 << 10
    /// Microseconds.
    private static let unknownRoundTrip: Int64 = 60_000_000

    var yieldDirection: YieldingConnections.Direction { body?.length ?? 0 > 0 ? .sending : .receiving }

    /// The connection, whoever reads from it.
    var connection: LentDescriptor? { (taken?.descriptor ?? socket).map { LentDescriptor($0) } }

    /// Whether it is slowed by reading less, where a window that was bounded might never open again.
    var isPaced: Bool { plan.yields && yieldDirection == .receiving && !thread.boundsWindows }

    func beginYielding() {
        guard plan.yields else { return }
        yielding = Yielding()
        thread.yielding.add(self, at: thread.now)
    }

    /// The connection may carry other exchanges from here on, which make no room.
    func endYielding() {
        guard yielding != nil else { return }
        thread.yielding.remove(self)
        if yieldDirection == .receiving, thread.boundsWindows { connection?.boundWindow(.max) }
        yielding = nil
    }

    /// The person, or the conditions, want it otherwise.
    func setYields(_ yields: Bool) {
        guard plan.yields != yields else { return }
        plan.yields = yields
        guard case .transferring(let easy) = stage else { return }
        if yields {
            // A connection that others share cannot be held back: the next attempt gets one of its own.
            guard easy.long(CURLINFO_HTTP_VERSION) < CURL_HTTP_VERSION_2_0 else { return }
            beginYielding()
            if yieldDirection == .sending || isPaced { giveBack() }
        } else {
            endYielding()
            pace = plan.rateLimit.map { Pace(rate: $0, at: thread.now) }
            if restsUntil != nil { endRest() } else { goOn(easy) }
        }
    }

    /// Looks at the connection; `nil` while there is none.
    func lookAtConnection(_ direction: YieldingConnections.Direction) -> YieldSight? {
        guard case .transferring = stage, let sight = connection?.connectionSight else { return nil }
        let counter = direction == .receiving ? sight.received : sight.acknowledged
        let before = yielding?.counted
        yielding?.counted = counter
        var roundTrip = direction == .receiving ? sight.receiverRoundTrip : sight.roundTrip
        // Before the first answer the kernel says 0 or, since Linux 6.17, a number without a meaning.
        if roundTrip == 0 || roundTrip >= Self.unknownRoundTrip { roundTrip = sight.roundTrip }
        return YieldSight(
            roundTrip: roundTrip, idleRoundTrip: before == nil ? sight.leastRoundTrip : nil,
            segment: direction == .receiving ? sight.receivedSegment : sight.sentSegment,
            gained: max(counter - (before ?? counter), 0))
    }

    /// Takes its part of the window, or of the pace that fits the window.
    func makeRoom(_ room: YieldingConnections.Room) {
        guard case .transferring(let easy) = stage, yielding != nil else { return }
        yielding?.window = room.window
        switch yieldDirection {
        case .receiving where isPaced: adopt(min(room.pace, plan.rateLimit ?? .max))
        // The kernel widens windows by itself.
        case .receiving: if room.isNew { connection?.boundWindow(room.window) }
        case .sending:
            guard yielding?.waits == true, roomToSend ?? 0 > 0 else { return }
            yielding?.waits = false
            goOn(easy)
        }
    }

    /// Bytes that may be given to the connection now; `nil` for as many as there are.
    var roomToSend: Int64? {
        guard let yielding, yieldDirection == .sending else { return nil }
        guard let connection else { return yielding.window }
        return max(yielding.window - connection.unsentBytes, 0)
    }

    /// Has libcurl wait until the window has room.
    func waitForWindow() -> Int {
        yielding?.waits = true
        return Int(CURL_READFUNC_PAUSE)
    }

    private func adopt(_ rate: Int64) {
        guard pace != nil else { return pace = Pace(rate: rate, at: thread.now) }
        pace?.rate = max(rate, 1)
    }
}
