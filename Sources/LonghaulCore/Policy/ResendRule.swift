/// What becomes of a request whose response was lost.
package enum ResendDecision: Equatable, Sendable {
    case sendAgain
    /// The server may have done it; only the app can know whether doing it twice would hurt.
    case outcomeUnknown
}

/// Which requests may be sent twice.
package enum ResendRule {
    /// `requestLeft` says that any byte of it may have reached the server.
    package static func decide(method: String, hasIdempotencyKey: Bool, requestLeft: Bool) -> ResendDecision {
        guard requestLeft, !hasIdempotencyKey, !isIdempotent(method) else { return .sendAgain }
        return .outcomeUnknown
    }

    /// Whether a request asks and changes nothing (RFC 9110, section 9.2.1): its answer is all that it is for.
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// By RFC 9110, section 9.2.2; methods are case-sensitive, and unknown ones promise nothing.
    private static func isIdempotent(_ method: String) -> Bool {
        isSafe(method) || method == "PUT" || method == "DELETE"
    }
}
