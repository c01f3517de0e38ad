import CCurl
import LonghaulCore

/// How often a request was made once more at once, since nothing could come of it, and how much of the body any earlier request may have sent.
///
/// One that its connection's end left out was not looked at (RFC 9113, section 6.8); libcurl calls that CURLE_HTTP2, and
/// repeats by itself only what a server refused by name. Once a host is known to share connections, libcurl 7.88 gives a request also
/// to one that is still being made through a proxy, and calls that CURLE_FAILED_INIT: the first of such requests makes a
/// connection of its own, and the others wait for it. One whose answer came in one read with the word that the rest of the
/// body is not wanted (section 8.1) was answered: libcurl 7.88 throws the answer away, tries to send on, and complains of nothing
/// when the stream turns out to be closed. It is asked for over HTTP/1.1, where libcurl waits for leave before it sends a
/// long body. In that case the last bytes of the body have not left, even if they were allowed to.
struct Repetition {
    private static let limit = 3

    /// Whether an early answer was lost over HTTP/2.
    private(set) var avoidsHTTP2 = false
    private(set) var count = 0
    /// The most that an earlier request or connection of the exchange may have got of its body.
    private(set) var mostSent: Int64 = 0

    /// Whether the request is to be made again. `keepsLastBytes`: they have not left; `isHarmless`: the server cannot have the whole
    /// of the request, or may have it twice.
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

    /// The body is sent once more, from its start.
    mutating func sendAgain(_ body: RequestBody) {
        mostSent = max(mostSent, body.position)
        body.rewind()
    }
}

extension Exchange {
    /// Makes the request again if that is right; whether it was.
    func repeatRequest(after code: CURLcode, _ facts: ConnectionFacts, hasComplained: Bool) -> Bool {
        guard machine.head == nil, machine.stop == nil, url.scheme == "https" else { return false }
        let keepsLastBytes = body.map {
            machine.hold != .released || facts.bytesSent <= max($0.length - ExchangeMachine.heldLength, 0)
        }
        guard
            repetition.begins(
                after: code, hasComplained: hasComplained, keepsLastBytes: keepsLastBytes ?? false,
                isHarmless: mayRepeat(facts))
        else { return false }
        if code == CURLE_FAILED_INIT { thread.ways.scouts.forget(place) }
        if let body { repetition.sendAgain(body) }
        transfer()
        return true
    }

    /// Whether the server cannot have the whole of the request, or may have it twice.
    private func mayRepeat(_ facts: ConnectionFacts) -> Bool {
        switch machine.hold {
        case .armed, .held: return true
        case .released: return false
        case .free:
            if let body, body.position < body.length { return true }
            let hasKey = plan.headers.single("Idempotency-Key") != nil
            return ResendRule.decide(
                method: plan.method, hasIdempotencyKey: hasKey, requestLeft: facts.requestLeft) == .sendAgain
        }
    }
}
