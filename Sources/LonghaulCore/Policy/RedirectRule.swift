/// The decision about a response that may be a redirect.
package enum RedirectDecision: Equatable, Sendable {
    case notARedirect
    /// Send the request to `url`. `dropsSecrets`: without secret headers, because another origin receives it.
    case follow(url: TransferURL, method: String, dropsSecrets: Bool)
    case refuse(TransferFailure)
}

/// The rules for following redirects (RFC 9110, section 15.4).
package enum RedirectRule {
    /// Returns the decision after `hops` redirects. `losesCookies`: one of them set a cookie that is not sent back.
    ///
    /// A redirect is refused if it would change a request with a body, or if it leaves https. A 303 is followed with
    /// GET, unless the same request must be repeated.
    package static func decide(
        status: Int, location: String?, from: TransferURL, followsOnlyRepeating: Bool, method: String, hasBody: Bool,
        hops: Int, limit: Int, losesCookies: Bool = false
    ) -> RedirectDecision {
        let newMethod: String
        switch status {
        case 307, 308:
            newMethod = method
        case 301, 302, 303:
            guard !followsOnlyRepeating else {
                return .refuse(method == "POST" && hasBody ? .redirectMayRepeat(status) : .redirectChanges(status))
            }
            if method == "GET" || method == "HEAD" {
                newMethod = method
            } else if status == 303 {
                newMethod = "GET"
            } else if method == "POST" || hasBody {
                // Half of all clients repeat the POST and half send a GET (RFC 9110, section 15.4.3), so the server's
                // intent is unknown.
                return .refuse(method == "POST" ? .redirectMayRepeat(status) : .redirectChanges(status))
            } else {
                newMethod = method
            }
        default:
            return .notARedirect
        }
        guard let location else {
            return .refuse(
                TransferFailure(
                    .redirectRefused,
                    "\(from.site) redirects (\(status)) without a Location header. Report it to its operator.",
                    origin: .status(status)))
        }
        guard let url = from.resolving(location) else {
            return .refuse(
                TransferFailure(
                    .redirectRefused,
                    "\(from.site) redirects (\(status)) to an address that is not an http or https URL. Report it to its operator.",
                    origin: .status(status)))
        }
        guard from.scheme != "https" || url.scheme == "https" else {
            return .refuse(
                TransferFailure(
                    .redirectRefused,
                    "\(from.site) redirects (\(status)) from https to http (\(url.redacted)), which is not encrypted. Use a URL that stays on https.",
                    origin: .status(status)))
        }
        guard hops < limit else {
            let sentence =
                losesCookies
                ? "\(from.site) redirected (\(status)) more than \(limit) times, perhaps until a cookie comes back. Send it again with --session-cookies, or raise --max-redirs."
                : "\(from.site) redirected (\(status)) more than \(limit) times, perhaps in a loop. Check the URL, or raise --max-redirs."
            return .refuse(TransferFailure(.redirectRefused, sentence, origin: .status(status)))
        }
        return .follow(url: url, method: newMethod, dropsSecrets: url.origin != from.origin)
    }
}

extension TransferFailure {
    fileprivate static func redirectChanges(_ status: Int) -> TransferFailure {
        TransferFailure(
            .redirectRefused,
            "The server redirects (\(status)) in a way that would change the request. Use the URL to which it redirects.",
            origin: .status(status))
    }

    fileprivate static func redirectMayRepeat(_ status: Int) -> TransferFailure {
        TransferFailure(
            .redirectRefused,
            "The server redirects (\(status)) without stating whether to repeat the request there. It may already have "
                + "processed the request: follow the redirect yourself before you send it again.",
            origin: .status(status))
    }
}
