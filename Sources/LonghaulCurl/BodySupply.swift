import CCurl
import LonghaulCore

/// Supplies a request's body to libcurl.
struct BodySupply {
    let exchange: Exchange

    private var thread: NetworkThread { exchange.thread }

    /// Fills libcurl's buffer with the next bytes. The bytes from earlier calls are in flight.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = exchange.body, !exchange.machine.hasStoppedSending else { return 0 }
        exchange.progress.moved(sent: body.position, at: thread.now)
        let limit = exchange.machine.sendable
        if exchange.direct?.isTaken == true { return Int(CURL_READFUNC_PAUSE) }
        if body.position == limit { return limit < body.length ? holdLastBytes() : 0 }
        if exchange.hasUsedAllowance || beginsToSendDirectly(body) { return Int(CURL_READFUNC_PAUSE) }
        if exchange.limits.pace?.allows(at: thread.now) == false {
            exchange.rest()
            return Int(CURL_READFUNC_PAUSE)
        }
        let yielding = thread.yielding[exchange]
        let room = yielding?.room ?? .max
        if room == 0, let yielding { return yielding.wait() }
        do throws(TransferFailure) {
            let end = min(limit, exchange.sendingAllowance, body.position + room)
            let count = try body.read(into: slowed(buffer), upTo: end)
            exchange.limits.pace?.use(count)
            if body.position == body.length { exchange.recordAllGiven() }
            return count
        } catch {
            exchange.machine.stop = .failure(error)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// Rewinds the body, so that libcurl can send it again on another connection: the peer had closed the first one, or
    /// the server refused the stream, and so has processed nothing of it (RFC 9113, section 8.7). Once the last bytes
    /// were released on a reused connection, the server may have received the request, and only the loop may repeat it.
    func rewind(to offset: Int64, origin: Int32) -> Int32 {
        let isUnseen =
            exchange.machine.hold != .released || exchange.plan.connection == .unused && exchange.url.scheme == "https"
        guard offset == 0, origin == SEEK_SET, exchange.machine.head == nil, isUnseen, let body = exchange.body else {
            return CURL_SEEKFUNC_FAIL
        }
        exchange.direct?.drop()
        exchange.direct?.beginRequest()
        exchange.repetition.sendAgain(body)
        return CURL_SEEKFUNC_OK
    }

    /// Rewinds the body for a request that libcurl repeats over HTTP/1.1, since the server resets the stream with HTTP_1_1_REQUIRED and so
    /// has processed nothing of it (RFC 9113, section 7). On a new connection, libcurl forgets the bytes that it has sent, and both sides
    /// would wait for the others.
    func beginRequest() {
        guard let body = exchange.body, body.position > 0, exchange.machine.head == nil else { return }
        exchange.repetition.sendAgain(body)
    }

    private func holdLastBytes() -> Int {
        if exchange.machine.hasSentSendable() { thread.emit(exchange.ticket, .lastBytesHeld) }
        return Int(CURL_READFUNC_PAUSE)
    }

    /// Returns a smaller buffer under a rate limit, because the pauses between large chunks would look like a stalled
    /// connection.
    private func slowed(_ buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        guard let rate = exchange.limits.pace?.rate else { return buffer }
        return UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(1_024, Int(clamping: rate / 4))))
    }

    /// Starts to send the next part of the body past libcurl, if possible. Returns whether libcurl must pause.
    private func beginsToSendDirectly(_ body: RequestBody) -> Bool {
        // libcurl sends the first bytes, together with the headers, and the last ones, which are checked and may be
        // held.
        guard exchange.direct?.isRefused != true, !exchange.isLimited, !exchange.plan.yields,
            exchange.machine.head == nil, body.position > 0,
            let stretch = body.stretch,
            thread.files.paths.mayBeSentDirectly(stretch.count - ExchangeMachine.heldLength, isPlain: exchange.isPlain)
        else { return false }
        if exchange.direct == nil { exchange.direct = DirectPath(exchange) }
        thread.willTakeOver(exchange)
        return true
    }
}
