import LonghaulCore

/// One exchange on an HTTP/2 connection: a thread runs the reply's script, and the connection's own thread moves the bytes.
final class HTTP2Stream: ExchangeStream, Sendable {
    struct State: Sendable {
        var inbound: [UInt8] = []
        /// How many bytes of `inbound` were read.
        var taken = 0
        var isInboundOver = false
        var outbound: [UInt8] = []
        var isOutboundOver = false
        /// The script has ended: later bytes are dropped.
        var isHeardOut = false
        /// The response is never ended.
        var saysNoEnd = false
        /// The peer ended it, or the connection is closed.
        var isGone = false
    }

    /// The requests of the stream's thread to the connection's.
    enum Order: Sendable {
        case interim([HeaderField])
        case head([HeaderField], hasBody: Bool)
        /// There are more bytes to send, or the end of the response.
        case more
        /// The peer may send this many more bytes.
        case consumed(Int)
        case reset(Reply.StreamError)
        /// RST_STREAM(NO_ERROR) immediately after the end of the response (RFC 9113, section 8.1).
        case refuseRest
        /// No further streams on this connection, which ends with its open streams.
        case goAway
        case cutConnection
        case resetConnection
        case raw([UInt8])
    }

    /// The limit of bytes that wait to be sent.
    private static let outboundLimit = 1 << 16

    let state = Monitor(State())
    let announcesBody: Bool
    private let give: @Sendable ([Order]) -> Void
    /// Orders that are sent together at the end of the script.
    private let gathered = Monitor<[Order]?>(nil)

    init(announcesBody: Bool, orders: @escaping @Sendable ([Order]) -> Void) {
        self.announcesBody = announcesBody
        give = orders
        if !announcesBody { state.update { $0.isInboundOver = true } }
    }

    /// Runs the script.
    func serve(_ hall: ServerState, _ request: ReceivedRequest) {
        let reply = hall.reply(to: request)
        if reply.rest == .refusedAtOnce { gathered.update { $0 = [] } }
        var script = ExchangeScript(hall, self, request, reply)
        end((try? script.run()) ?? .nextRequest, of: reply)
        let orders = gathered.update { orders in
            defer { orders = nil }
            return orders
        }
        if let orders { give(orders) }
        hall.updateRequest(request.number) { $0.isFinished = true }
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

    /// HTTP/2 clients do not wait for permission: a window is open from the start.
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
        // A client that has disconnected gets no more bytes.
        _ = try? wait { $0.outbound.isEmpty ? () : nil }
    }

    /// Waits for any length of time, until the peer or the server ends it.
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
