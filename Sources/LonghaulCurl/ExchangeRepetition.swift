import CCurl
import LonghaulCore

// Requests that are made once more at once, since nothing can come of the first one.
extension Exchange {
    private static let repetitionLimit = 3

    /// Makes the request again if that is right; whether it was.
    ///
    /// One that its connection's end left out was not looked at (RFC 9113, section 6.8); libcurl calls that CURLE_HTTP2, and
    /// repeats by itself only what a server refused by name. Once a host is known to share connections, libcurl 7.88 gives a request also
    /// to one that is still being made through a proxy, and calls that CURLE_FAILED_INIT: the first of such requests makes a
    /// connection of its own, and the others wait for it. One whose answer came in one read with the word that the rest of the
    /// body is not wanted (section 8.1) was answered: libcurl 7.88 throws the answer away, tries to send on, and complains of nothing
    /// when the stream turns out to be closed. It is asked for over HTTP/1.1, where libcurl waits for leave before it sends a
    /// long body. The last bytes of the body have not left, even if they were allowed to.
    func repeatRequest(after code: CURLcode, _ facts: ConnectionFacts, hasComplained: Bool) -> Bool {
        guard head == nil, stop == nil, url.scheme == "https" else { return false }
        let hasLostAnswer = code == CURLE_HTTP2_STREAM && !hasComplained
        let wasLeftOut = code == CURLE_HTTP2 || code == CURLE_FAILED_INIT
        if hasLostAnswer, !avoidsHTTP2, let body,
            hold != .released || facts.bytesSent <= max(body.length - Self.heldLength, 0)
        {
            avoidsHTTP2 = true
        } else if wasLeftOut, repetitions < Self.repetitionLimit, mayRepeat(facts) {
            repetitions += 1
            if code == CURLE_FAILED_INIT { thread.scouts.forget(place) }
        } else {
            return false
        }
        mostSent = max(mostSent, body?.position ?? 0)
        body?.rewind()
        transfer()
        return true
    }

    /// Whether the server cannot have the whole of the request, or may have it twice.
    private func mayRepeat(_ facts: ConnectionFacts) -> Bool {
        switch hold {
        case .armed, .held: return true
        case .released: return false
        case .none:
            if let body, body.position < body.length { return true }
            let hasKey = plan.headers.single("Idempotency-Key") != nil
            return ResendRule.decide(
                method: plan.method, hasIdempotencyKey: hasKey, requestLeft: facts.requestLeft) == .sendAgain
        }
    }
}
