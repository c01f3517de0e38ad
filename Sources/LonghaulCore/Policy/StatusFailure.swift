extension RetryPolicy {
    /// Returns the failure for a final status. The message names only the host that responded. For a request that must
    /// not be repeated, it never advises a repetition: the server may have processed the request before it failed, and
    /// a gateway may have forwarded it before it timed out (RFC 9110, sections 15.6.3 and 15.6.5). `words` is the
    /// server's own explanation.
    package static func failure(
        forStatus status: Int, head: ResponseHead, url: String, mayBeRepeated: Bool = true,
        login: PresentedLogin = PresentedLogin(), isDownload: Bool = true, words: String? = nil
    ) -> TransferFailure {
        let server = server(head, url)
        let meaning =
            (mayBeRepeated ? nil : doubt(status, server: server))
            ?? (isDownload ? nil : absence(status, server: server))
            ?? serverDenial(head, server: server, login) ?? proxyDenial(head, server: server, login)
            ?? (login.hasCredentials ? nil : lackOfCredentials(status, server: server))
            ?? meaning(of: status, server: server)
        return TransferFailure(
            meaning.code, meaning.what, serverMessage: words, advice: meaning.advice, origin: .status(status))
    }

    private typealias Meaning = Denial

    private static func lackOfCredentials(_ status: Int, server: String) -> Meaning? {
        guard status == 401 else { return nil }
        return (
            .credentialsRequired, "The server \(server) requires a user name and a password, or a token (\(status))",
            "add them to the transfer, which then continues"
        )
    }

    /// Returns the meaning of a missing resource for an upload or a request, whose URL need not name a file.
    private static func absence(_ status: Int, server: String) -> Meaning? {
        switch status {
        case 404: (.notFound, "The server \(server) has nothing at this URL (\(status))", "check the URL")
        case 410:
            (
                .notFound, "The server \(server) has removed the resource at this URL (\(status))",
                "replace the transfer's URL"
            )
        default: nil
        }
    }

    private static func doubt(_ status: Int, server: String) -> Meaning? {
        let advice = "check there before you retry, which sends the request again"
        switch status {
        // The statuses from 520 on are those of a content delivery network: it reached the origin and received no
        // readable response.
        case 502, 504, 520, 524:
            return (
                .outcomeUnknown,
                "The gateway \(server) received no response and may have passed on the request (\(status))", advice
            )
        case 501, 503, 505...511: return nil
        case 500...599:
            return (
                .serverFailed, "The server \(server) failed and may have processed a part of the request (\(status))",
                advice
            )
        default: return nil
        }
    }

    private static func meaning(of status: Int, server: String) -> Meaning {
        switch status {
        case 200...299:
            (.protocolViolation, "The server \(server) sent no usable file (\(status))", "check the URL and the method")
        case 304:
            (
                .preconditionFailed, "The server \(server) reports no change (\(status))",
                "remove the condition to get the file anyway"
            )
        case 300...399:
            (
                .redirectRefused, "The redirect of the server \(server) cannot be followed (\(status))",
                "use the URL to which it redirects"
            )
        case 408: (.serverBusy, "The server \(server) timed out waiting for the request (\(status))", "try again later")
        case 423: (.serverBusy, "The resource on the server \(server) is locked (\(status))", "try again later")
        case 429:
            (
                .serverBusy, "The server \(server) received too many requests (\(status))",
                "try again later, or run fewer transfers with it at once"
            )
        case 425, 503: (.serverBusy, "The server \(server) is busy (\(status))", "try again later")
        case 401, 403: denial(status, server: server)
        case 400...499: rejection(status, server: server)
        case 501, 505, 506, 508, 510:
            (
                .serverFailed, "The server \(server) does not support this request (\(status))",
                "check the URL and the method"
            )
        case 507: (.serverFailed, "The server \(server) has no space left (\(status))", "free some there, then retry")
        case 509:
            (
                .serverFailed, "The server \(server) has used up its data quota (\(status))",
                "ask its operator, then retry"
            )
        case 511:
            (
                .captivePortal, "This network requires a login (\(status))",
                "open a web page in a browser and log in"
            )
        case 500...599: (.serverFailed, "The server \(server) failed (\(status))", "try again later")
        default: (.protocolViolation, "The server \(server) sent an unknown status (\(status))", "check the URL")
        }
    }

    private static func denial(_ status: Int, server: String) -> Meaning {
        switch status {
        case 401:
            (
                .credentialsRequired, "The server \(server) rejected the credentials (\(status))",
                "add others to the transfer, which then continues where it is"
            )
        default:
            (
                .forbidden, "The server \(server) denied access (\(status))",
                "check your permissions there, and whether the URL has expired; an expired URL can be replaced"
            )
        }
    }

    private static func rejection(_ status: Int, server: String) -> Meaning {
        switch status {
        case 404: (.notFound, "The server \(server) has no such file (\(status))", "check the URL")
        case 410: (.notFound, "The server \(server) has removed the file (\(status))", "replace the transfer's URL")
        case 421:
            (
                .connectionFailed, "The server \(server) does not serve this host on this connection (\(status))",
                "try again later"
            )
        case 412:
            (
                .preconditionFailed, "A condition of the request to \(server) does not hold (\(status))",
                "check the conditions in its headers"
            )
        case 405:
            (
                .requestRejected, "The server \(server) does not allow this method here (\(status))",
                "check the URL and the method"
            )
        case 411, 413:
            (
                .requestRejected, "The server \(server) rejected the length of the body (\(status))",
                "send a smaller one"
            )
        case 414, 431:
            (
                .requestRejected, "The URL or the headers are too long for the server \(server) (\(status))",
                "shorten them"
            )
        case 415:
            (
                .requestRejected, "The server \(server) rejected the content type (\(status))",
                "check the Content-Type header"
            )
        case 416:
            (
                .requestRejected, "The server \(server) does not have the requested range (\(status))",
                "request another one, or the whole file"
            )
        case 451:
            (
                .requestRejected, "The server \(server) withholds this for legal reasons (\(status))",
                "try another source"
            )
        default:
            (
                .requestRejected, "The server \(server) rejected the request (\(status))",
                "check the URL, the method, and the headers"
            )
        }
    }

    /// Returns the server that responded, after redirects, with its port unless it is the default.
    static func server(_ head: ResponseHead, _ url: String) -> String {
        // One of the two was requested, so it parses.
        [head.effectiveURL, url].lazy.compactMap { try? TransferURL(parsing: $0) }.first?.site ?? "(unknown URL)"
    }
}
