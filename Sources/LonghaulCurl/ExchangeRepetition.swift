import CCurl
import LonghaulCore

/// The immediate repetitions of a request that had no effect, and how much of the body any earlier request may have sent.
///
/// A server has not processed a request that the end of its connection excludes (RFC 9113, section 6.8). libcurl reports that as
/// CURLE_HTTP2, and repeats only explicitly refused requests automatically.
///
/// Once a host is known to share connections, libcurl 7.88 also assigns a request to a connection that is still being made through a
/// proxy, and reports CURLE_FAILED_INIT. The first of such requests then makes a new connection, and the others wait for it.
///
/// A response is valid even if it arrives in one read with a notice that the rest of the body is not needed (section 8.1). But libcurl
/// 7.88 discards it and continues to send, and reports no error when the stream turns out to be closed. Such a request is repeated over
/// HTTP/1.1, where libcurl waits for permission before it sends a long body. In that case, the last bytes of the body were not sent, even
/// if they had been released.
struct Repetition {
    private static let limit = 3

    /// Whether an early response was lost over HTTP/2.
    private(set) var avoidsHTTP2 = false
    /// Whether the server refused HTTP/1.1, which the request would use otherwise.
    private(set) var needsHTTP2 = false
    private(set) var count = 0
    /// The number of answers to a proxy's challenges since the last response with another status.
    var proxyAnswers = 0
    /// The maximum number of body bytes that an earlier request or connection of the exchange may have sent.
    private(set) var mostSent: Int64 = 0

    /// Returns whether to repeat the request. `keepsLastBytes`: the last bytes were not sent. `isHarmless`: the server cannot have the
    /// whole request, or may receive it twice.
    mutating func begins(
        after code: CURLcode, hasComplained: Bool, keepsLastBytes: Bool, isHarmless: @autoclosure () -> Bool
    ) -> Bool {
        if code == CURLE_HTTP2_STREAM, !hasComplained, !avoidsHTTP2, keepsLastBytes {
            avoidsHTTP2 = true
            return true
        }
        guard code == CURLE_HTTP2 || code == CURLE_FAILED_INIT, count < Self.limit, isHarmless() else { return false }
        count += 1
        return true
    }

    /// Returns whether to repeat over HTTP/2 a request that the server may not have understood over HTTP/1.1: it accepted no such
    /// connection (`no_application_protocol`, RFC 7301, section 3.2), sent a response that is not HTTP/1.1, or closed the connection.
    /// `isHarmless`: the server cannot have the whole request, or may receive it twice.
    mutating func beginsOverHTTP2(after code: CURLcode, requestLeft: Bool, isHarmless: @autoclosure () -> Bool) -> Bool
    {
        switch code {
        case CURLE_SSL_CONNECT_ERROR: needsHTTP2 = !requestLeft
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: needsHTTP2 = true
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR: needsHTTP2 = isHarmless()
        default: break
        }
        return needsHTTP2
    }

    /// Rewinds the body to send it again.
    mutating func sendAgain(_ body: RequestBody) {
        mostSent = max(mostSent, body.position)
        body.rewind()
    }
}

extension Exchange {
    /// Repeats the request if that is right. Returns whether it did.
    func repeatRequest(after code: CURLcode, _ facts: ConnectionFacts, hasComplained: Bool) -> Bool {
        guard machine.head == nil, machine.stop == nil, url.scheme == "https" else { return false }
        let keepsLastBytes = body.map {
            machine.hold != .released || facts.bytesSent <= max($0.length - ExchangeMachine.heldLength, 0)
        }
        guard
            VersionChoice(exchange: self).fallsBackToHTTP2(after: code, facts, isHarmless: mayRepeat(facts))
                || repetition.begins(
                    after: code, hasComplained: hasComplained, keepsLastBytes: keepsLastBytes ?? false,
                    isHarmless: mayRepeat(facts))
        else { return false }
        if code == CURLE_FAILED_INIT { thread.ways.originProbes.forget(place) }
        if let body { repetition.sendAgain(body) }
        transfer()
        return true
    }

    /// Returns whether the server cannot have the whole request, or may receive it twice.
    private func mayRepeat(_ facts: ConnectionFacts) -> Bool {
        switch machine.hold {
        case .armed, .held: return true
        case .released: return body.map { $0.position < $0.length } ?? false
        case .free:
            if let body, body.position < body.length { return true }
            let hasKey = plan.headers.single("Idempotency-Key") != nil
            return ResendRule.decide(
                method: plan.method, hasIdempotencyKey: hasKey, requestLeft: facts.requestLeft) == .sendAgain
        }
    }
}
