extension RetryPolicy {
    /// The failure that a final status means, in a sentence for a person. `url` is what was asked for; only the host
    /// that answered is ever named. A request that may not be repeated is never told to be: its server may have done it
    /// before it failed, and a gateway may have passed it on before it gave up waiting (RFC 9110, sections 15.6.3 and 15.6.5).
    /// `words` are the server's own, which stand beside the status.
    package static func failure(
        forStatus status: Int, head: ResponseHead, url: String, mayBeRepeated: Bool = true, hasCredentials: Bool = true,
        words: String? = nil
    ) -> TransferFailure {
        var failure = failure(status, head, url, mayBeRepeated, hasCredentials)
        if let words, let place = failure.message.firstRange(of: "(\(status))") {
            failure.message.replaceSubrange(place, with: "(\(status): \(words))")
        }
        return failure
    }

    private static func failure(
        _ status: Int, _ head: ResponseHead, _ url: String, _ mayBeRepeated: Bool, _ hasCredentials: Bool
    ) -> TransferFailure {
        let server = server(head, url)
        if status == 401, !hasCredentials {
            return TransferFailure(
                .credentialsRequired,
                "\(server) needs a user name and a password, or a token (401): give them to the transfer, and it goes on.",
                origin: .status(status))
        }
        let (code, message) =
            mayBeRepeated
            ? describe(status, server: server)
            : describeDoubt(status, server: server) ?? describe(status, server: server)
        return TransferFailure(code, message, origin: .status(status))
    }

    private static func describeDoubt(_ status: Int, server: String) -> (FailureCode, String)? {
        switch status {
        // Those of 520 on are a content network's, whose server was reached and said nothing that could be read.
        case 502, 504, 520, 524:
            (
                .outcomeUnknown,
                "\(server) is a gateway that got no answer (\(status)), and what was sent may have been done: "
                    + "look there before you retry, which sends it again."
            )
        case 501, 503, 505, 506, 508, 510, 511: nil
        case 500...599:
            (
                .serverFailed,
                "\(server) failed (\(status)) and may have done a part of what was asked: "
                    + "look there before you retry, which sends it again."
            )
        default: nil
        }
    }

    private static func describe(_ status: Int, server: String) -> (FailureCode, String) {
        switch status {
        case 200...299:
            (.protocolViolation, "\(server) answered \(status) and sent no usable file: check the URL and the method.")
        case 304:
            (
                .preconditionFailed,
                "\(server) says that nothing has changed (304): leave out the condition to get it anyway."
            )
        case 300...399:
            (
                .redirectRefused,
                "\(server) redirects in a way that cannot be followed (\(status)): use the URL it means."
            )
        case 408, 423, 425, 429, 503:
            (.serverBusy, busyMessage(status, server: server))
        case 400...499: describeRejection(status, server: server)
        case 501, 505, 506, 508, 510:
            (.serverFailed, "\(server) cannot do what was asked (\(status)): check the URL and the method.")
        case 507:
            (.serverFailed, "\(server) has no room left (507): try again later.")
        case 511:
            (.captivePortal, "This network wants you to sign in first (511): open a web page in a browser and sign in.")
        case 500...599:
            (.serverFailed, "\(server) failed (\(status)): try again later.")
        default:
            (.protocolViolation, "\(server) answered with a status that means nothing (\(status)): check the URL.")
        }
    }

    private static func describeRejection(_ status: Int, server: String) -> (FailureCode, String) {
        switch status {
        case 401:
            (
                .credentialsRequired,
                "\(server) does not accept the credentials (401): give the transfer others, and it goes on from where it is."
            )
        case 407:
            (.credentialsRequired, "The proxy wants other credentials (407): submit it again with them.")
        case 403:
            (
                .forbidden,
                "\(server) forbids this (403): check what you are allowed to do there; a URL that has expired can be replaced."
            )
        case 404:
            (.notFound, "The server has no such file (404): check the URL.")
        case 410:
            (
                .notFound,
                "The server had this file and removed it (410): give the transfer another URL."
            )
        case 421:
            (.connectionFailed, "\(server) does not answer for this host on this connection (421): try again later.")
        case 412:
            (
                .preconditionFailed,
                "A condition of the request does not hold (412): check the conditions in its headers."
            )
        case 405:
            (.requestRejected, "\(server) does not allow this method here (405): check the URL and the method.")
        case 411, 413:
            (.requestRejected, "\(server) does not take a body of this length (\(status)): send a smaller one.")
        case 414, 431:
            (.requestRejected, "The URL or the headers are too long for \(server) (\(status)): shorten them.")
        case 415:
            (.requestRejected, "\(server) does not take this type of content (415): check the Content-Type header.")
        case 416:
            (.requestRejected, "\(server) does not have the part that was asked for (416): leave out the Range header.")
        case 451:
            (.requestRejected, "\(server) withholds this for legal reasons (451): look for another source.")
        default:
            (.requestRejected, "\(server) rejected the request (\(status)): check the URL, the method and the headers.")
        }
    }

    private static func busyMessage(_ status: Int, server: String) -> String {
        switch status {
        case 408: "\(server) gave up waiting for the request (408): try again later."
        case 423: "\(server) says that someone else is using this (423): try again later."
        case 429: "\(server) got too many requests (429): try again later, or run fewer transfers with it at once."
        default: "\(server) is busy (\(status)): try again later."
        }
    }

    /// The server that answered, after redirects.
    private static func server(_ head: ResponseHead, _ url: String) -> String {
        for text in [head.effectiveURL, url] {
            // An unreadable URL only leaves the sentence without a name.
            if let url = try? TransferURL(parsing: text) { return "The server \(url.host)" }
        }
        return "The server"
    }
}
