/// The decision about a request whose response was lost.
package enum ResendDecision: Equatable, Sendable {
    case sendAgain
    /// The server may have processed the request. Only the app can know whether a repetition is safe.
    case outcomeUnknown
}

/// Decides whether a request may be repeated.
package enum ResendRule {
    /// Returns the decision. `requestLeft`: any byte of the request may have reached the server.
    package static func decide(method: String, hasIdempotencyKey: Bool, requestLeft: Bool) -> ResendDecision {
        guard requestLeft, !hasIdempotencyKey, !isIdempotent(method) else { return .sendAgain }
        return .outcomeUnknown
    }

    /// Returns whether a method is safe (RFC 9110, section 9.2.1), so that the response is its only purpose.
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }

    /// Returns whether a method is idempotent (RFC 9110, section 9.2.2). Methods are case-sensitive, and unknown
    /// methods promise nothing.
    private static func isIdempotent(_ method: String) -> Bool {
        isSafe(method) || method == "PUT" || method == "DELETE"
    }
}
