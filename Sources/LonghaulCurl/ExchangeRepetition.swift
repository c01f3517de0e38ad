import CCurl
import LonghaulCore

// Requests that are made once more at once, since nothing can come of the first one.
extension Exchange {
    private static let repetitionLimit = 3

    /// Makes the request again if that is right; whether it was.
    ///
    /// One that its connection's end left out was not looked at (RFC 9113, section 6.8); libcurl calls that CURLE_HTTP2, and
    /// repeats by itself only what a server refused by name. One whose answer came in one read with the word that the rest of the
    /// body is not wanted (section 8.1) was answered: libcurl 7.88 throws the answer away, tries to send on, and complains of nothing
    /// when the stream turns out to be closed. It is asked for in a way that an answer cannot be lost. The last bytes of its body
    /// have not left, even if they were allowed to.
    func repeatRequest(after code: CURLcode, _ facts: ConnectionFacts, hasComplained: Bool) -> Bool {
        guard head == nil, stop == nil, url.scheme == "https" else { return false }
        let hasLostAnswer = code == CURLE_HTTP2_STREAM && !hasComplained
        if hasLostAnswer, !asksFirst, let body,
            hold != .released || facts.bytesSent <= max(body.length - Self.heldLength, 0)
        {
            asksFirst = true
        } else if code == CURLE_HTTP2, hold != .released, repetitions < Self.repetitionLimit {
            repetitions += 1
        } else {
            return false
        }
        mostSent = max(mostSent, body?.position ?? 0)
        body?.rewind()
        transfer()
        return true
    }

    /// A server that refuses a body may answer and close the connection on whoever still sends, and the reset destroys the
    /// answer. What was not among the last words is lost, so the next body for this origin is not sent unasked.
    func noteUnheard(after code: CURLcode, _ facts: ConnectionFacts) {
        guard code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR, head == nil, stop == nil, url.scheme == "https",
            let body, body.length > Self.expectThreshold, facts.requestLeft, facts.bytesSent < body.length, !asksFirst
        else { return }
        thread.unheard.note(url.origin)
    }
}

/// Origins that broke off a request while its body was being sent, without an answer that was heard.
struct UnheardOrigins {
    private static let capacity = 1_024
    private var origins: Set<String> = []

    mutating func note(_ origin: String) {
        if origins.count >= Self.capacity { origins = [] }
        origins.insert(origin)
    }

    /// Whether it was noted since it was asked for last.
    mutating func forget(_ origin: String) -> Bool {
        guard !origins.isEmpty else { return false }
        return origins.remove(origin) != nil
    }
}
