import LonghaulCore

/// One exchange on a connection of HTTP/2: a thread runs the reply's script, and the connection's own moves the bytes.
final class HTTP2Stream: ExchangeStream, Sendable {
    struct State: Sendable {
        var inbound: [UInt8] = []
        /// How much of `inbound` was taken.
        var taken = 0
        var isInboundOver = false
        var outbound: [UInt8] = []
        var isOutboundOver = false
        /// The script has ended: what still comes is let go.
        var isHeardOut = false
        /// The end of the answer is never told.
        var saysNoEnd = false
        /// The peer ended it, or the connection is gone.
        var isGone = false
    }

    /// What the stream's thread asks of the connection's.
    enum Order: Sendable {
        case interim([HeaderField])
        case head([HeaderField], hasBody: Bool)
        /// There is more to send, or the end of it.
        case more
        /// The peer may send so many bytes more.
        case consumed(Int)
        case reset(Reply.StreamError)
        /// RST_STREAM(NO_ERROR) right behind the end of the answer (RFC 9113, section 8.1).
        case refuseRest
        /// No further streams on this connection, which ends with those that are there.
        case goAway
        case cutConnection
        case resetConnection
        case raw([UInt8])
    }

    /// What waits to be sent at most.
    private static let outboundLimit = 1 << 16

    let state = Monitor(State())
    let announcesBody: Bool
    private let give: @Sendable ([Order]) -> Void
    /// What is given in one go at the end of the script.
    private let gathered = Monitor<[Order]?>(nil)

    init(announcesBody: Bool, orders: @escaping @Sendable ([Order]) -> Void) {
        self.announcesBody = announcesBody
        give = orders
        if !announcesBody { state.update { $0.isInboundOver = true } }
    }

    /// Runs the script to its end.
    func serve(_ hall: Hall, _ request: ReceivedRequest) {
        let reply = hall.reply(to: request)
        if reply.rest == .refusedAtOnce { gathered.update { $0 = [] } }
        var script = ExchangeScript(hall, self, request, reply)
        end((try? script.run()) ?? .nextRequest, of: reply)
        let orders = gathered.update { orders in
            defer { orders = nil }
            return orders
        }
        if let orders { give(orders) }
        hall.note(request.number) { $0.isFinished = true }
        let untaken = state.update { state in
            defer { state.inbound = [] }
            state.isHeardOut = true
            return state.inbound.count - state.taken
        }
        order(.consumed(untaken))
    }

    private func order(_ order: Order) {
        let isGathered = gathered.update { orders in
            orders?.append(order)
            return orders != nil
        }
        if !isGathered { give([order]) }
    }

    private func end(_ end: ExchangeEnd, of reply: Reply) {
        switch end {
        case .nextRequest: break
        case .finish:
            waitUntilSent()
            order(state.value.isOutboundOver ? .goAway : .cutConnection)
        case .hangUp: order(.cutConnection)
        case .refuseRest: if reply.rest != .letGo { order(.refuseRest) }
        case .reset:
            waitUntilSent()
            order(state.value.isOutboundOver ? .resetConnection : .reset(reply.resetCode))
        }
    }

    /// Clients do not ask on HTTP/2: a window is open from the beginning.
    var asksToContinue: Bool { false }

    func hasMoreBody() throws(Ended) -> Bool {
        try wait { state in
            if state.inbound.count > state.taken { return true }
            return state.isInboundOver ? false : nil
        }
    }

    func readBody(atMost limit: Int64, _ body: (UnsafeRawBufferPointer) -> Void) throws(Ended) -> Int64 {
        let bytes: [UInt8] = state.update { state in
            let count = Int(min(limit, Int64(state.inbound.count - state.taken)))
            let bytes = Array(state.inbound[state.taken..<state.taken + count])
            state.taken += count
            if state.taken == state.inbound.count {
                state.inbound.removeAll(keepingCapacity: true)
                state.taken = 0
            }
            return bytes
        }
        bytes.withUnsafeBytes(body)
        order(.consumed(bytes.count))
        return Int64(bytes.count)
    }

    func sendInterim(_ status: Int, _ fields: [HeaderField]) throws(Ended) {
        order(.interim([HeaderField(":status", "\(status)")] + fields))
    }

    func sendHead(_ head: ResponseHead, hasBody: Bool) throws(Ended) {
        if !hasBody { state.update { $0.isOutboundOver = true } }
        if case .chunkedWithoutEnd = head.framing { state.update { $0.saysNoEnd = true } }
        order(.head([HeaderField(":status", "\(head.status)")] + head.fields, hasBody: hasBody))
    }

    func sendBody(_ bytes: [UInt8]) throws(Ended) {
        try wait { $0.outbound.count < Self.outboundLimit ? () : nil }
        state.update { $0.outbound += bytes }
        order(.more)
    }

    func endBody() throws(Ended) {
        guard !state.value.saysNoEnd else { return }
        state.update { $0.isOutboundOver = true }
        order(.more)
    }

    func sendRaw(_ bytes: [UInt8]) throws(Ended) { order(.raw(bytes)) }

    private func waitUntilSent() {
        // Whoever is gone gets nothing more.
        _ = try? wait { $0.outbound.isEmpty ? () : nil }
    }

    /// A peer may be silent for as long as it likes; its end, or the server's, ends the wait.
    private func wait<Result>(until body: (inout State) -> Result?) throws(Ended) -> Result {
        while true {
            let found: Result?? = try? state.wait(
                for: "the peer",
                until: { state -> Result?? in
                    if let result = body(&state) { return .some(result) }
                    return state.isGone ? .some(nil) : nil
                })
            guard let found else { continue }
            guard let result = found else { throw Ended() }
            return result
        }
    }
}
