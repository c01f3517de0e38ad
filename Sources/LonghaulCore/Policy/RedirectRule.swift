/// What becomes of a response that may be a redirect.
package enum RedirectDecision: Equatable, Sendable {
    case notARedirect
    /// Send it to `url`; with `dropsSecrets` leave out every secret field, because another origin gets it.
    case follow(url: TransferURL, method: String, dropsSecrets: Bool)
    case refuse(TransferFailure)
}

/// Which redirects are followed, and how (RFC 9110, section 15.4).
package enum RedirectRule {
    /// `hops` redirects were followed already.
    ///
    /// A redirect that would turn a request with a body into another one is refused, and so is every one that leaves
    /// https. A 303 asks for a GET and gets it, unless the same request must be repeated.
    package static func decide(
        status: Int, location: String?, from: TransferURL, followsOnlyRepeating: Bool, method: String, hasBody: Bool,
        hops: Int, limit: Int
    ) -> RedirectDecision {
        let newMethod: String
        switch status {
        case 307, 308:
            newMethod = method
        case 301, 302, 303:
            guard !followsOnlyRepeating else {
                return refusal(status, method == "POST" && hasBody ? mayBeDone : changesRequest)
            }
            if method == "GET" || method == "HEAD" {
                newMethod = method
            } else if status == 303 {
                newMethod = "GET"
            } else if method == "POST" || hasBody {
                // Half of all clients repeat the POST and half send a GET (RFC 9110, section 15.4.3): the server's
                // wish cannot be known.
                return refusal(status, method == "POST" ? mayBeDone : changesRequest)
            } else {
                newMethod = method
            }
        default:
            return .notARedirect
        }
        guard let location else { return refusal(status, "without saying where: tell the server's operator.") }
        guard let url = from.resolving(location) else {
            return refusal(status, "to an address that is no http or https URL: tell the server's operator.")
        }
        guard from.scheme != "https" || url.scheme == "https" else {
            return refusal(
                status, "from https to http, which anyone on the way can read: use a URL that stays on https.")
        }
        guard hops < limit else {
            return refusal(status, "more than \(limit) times: the server may redirect in a circle; check the URL.")
        }
        return .follow(url: url, method: newMethod, dropsSecrets: url.origin != from.origin)
    }

    private static let changesRequest =
        "in a way that would not repeat the request as it is: use the URL that it redirects to."

    private static let mayBeDone =
        "and does not say whether to repeat the request there: it may have done what was asked. See where it leads before "
        + "you send it again."

    private static func refusal(_ status: Int, _ rest: String) -> RedirectDecision {
        .refuse(
            TransferFailure(.redirectRefused, "The server redirects (\(status)) " + rest, origin: .status(status)))
    }
}
