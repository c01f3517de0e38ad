extension RetryPolicy {
    /// The failure that a final status means. `url` is what was asked for; only the host that answered is ever named. A request that may
    /// not be repeated is never told to be: its server may have done it before it failed, and a gateway may have passed it on before it
    /// gave up waiting (RFC 9110, sections 15.6.3 and 15.6.5). `words` are the server's own.
    package static func failure(
        forStatus status: Int, head: ResponseHead, url: String, mayBeRepeated: Bool = true, hasCredentials: Bool = true,
        isDownload: Bool = true, words: String? = nil
    ) -> TransferFailure {
        let server = server(head, url)
        let meaning =
            (mayBeRepeated ? nil : doubt(status, server: server))
            ?? (isDownload ? nil : absence(status))
            ?? (hasCredentials ? nil : lackOfCredentials(status, server: server))
            ?? meaning(of: status, server: server)
        return TransferFailure(
            meaning.code, "\(meaning.what) (\(status))", serverMessage: words, advice: meaning.advice,
            origin: .status(status))
    }

    private typealias Meaning = (code: FailureCode, what: String, advice: String)

    private static func lackOfCredentials(_ status: Int, server: String) -> Meaning? {
        guard status == 401 else { return nil }
        return (
            .credentialsRequired, "\(server) needs a user name and a password, or a token",
            "give them to the transfer, and it goes on"
        )
    }

    /// Where something is sent to, or done, no file is looked for.
    private static func absence(_ status: Int) -> Meaning? {
        switch status {
        case 404: (.notFound, "The server has nothing at this URL", "check it")
        case 410: (.notFound, "The server has removed what was at this URL", "give the transfer another URL")
        default: nil
        }
    }

    private static func doubt(_ status: Int, server: String) -> Meaning? {
        let advice = "look there before you retry, which sends it again"
        switch status {
        // Those of 520 on are a content network's, whose server was reached and said nothing that could be read.
        case 502, 504, 520, 524:
            return (
                .outcomeUnknown, "\(server) is a gateway that got no answer, and may have passed on what was sent",
                advice
            )
        case 501, 503, 505...511: return nil
        case 500...599: return (.serverFailed, "\(server) failed and may have done a part of what was asked", advice)
        default: return nil
        }
    }

    private static func meaning(of status: Int, server: String) -> Meaning {
        switch status {
        case 200...299: (.protocolViolation, "\(server) sent no usable file", "check the URL and the method")
        case 304:
            (.preconditionFailed, "\(server) says that nothing has changed", "leave out the condition to get it anyway")
        case 300...399:
            (.redirectRefused, "\(server) redirects in a way that cannot be followed", "use the URL it means")
        case 408: (.serverBusy, "\(server) gave up waiting for the request", "try again later")
        case 423: (.serverBusy, "\(server) says that someone else is using this", "try again later")
        case 429:
            (
                .serverBusy, "\(server) got too many requests",
                "try again later, or run fewer transfers with it at once"
            )
        case 425, 503: (.serverBusy, "\(server) is busy", "try again later")
        case 400...499: rejection(status, server: server)
        case 501, 505, 506, 508, 510:
            (.serverFailed, "\(server) cannot do what was asked", "check the URL and the method")
        case 507: (.serverFailed, "\(server) has no room left", "free some there, then retry")
        case 509: (.serverFailed, "\(server) has used up its data quota", "ask its operator, then retry")
        case 511:
            (.captivePortal, "This network wants you to sign in first", "open a web page in a browser and sign in")
        case 500...599: (.serverFailed, "\(server) failed", "try again later")
        default: (.protocolViolation, "\(server) answered with a status that means nothing", "check the URL")
        }
    }

    private static func rejection(_ status: Int, server: String) -> Meaning {
        switch status {
        case 401:
            (
                .credentialsRequired, "\(server) does not accept the credentials",
                "give the transfer others, and it goes on from where it is"
            )
        case 407: (.credentialsRequired, "The proxy wants other credentials", "submit it again with them")
        case 403:
            (
                .forbidden, "\(server) forbids this",
                "check what you are allowed to do there; a URL that has expired can be replaced"
            )
        case 404: (.notFound, "The server has no such file", "check the URL")
        case 410: (.notFound, "The server had this file and removed it", "give the transfer another URL")
        case 421:
            (.connectionFailed, "\(server) does not answer for this host on this connection", "try again later")
        case 412:
            (.preconditionFailed, "A condition of the request does not hold", "check the conditions in its headers")
        case 405: (.requestRejected, "\(server) does not allow this method here", "check the URL and the method")
        case 411, 413: (.requestRejected, "\(server) does not take a body of this length", "send a smaller one")
        case 414, 431: (.requestRejected, "The URL or the headers are too long for \(server)", "shorten them")
        case 415:
            (.requestRejected, "\(server) does not take this type of content", "check the Content-Type header")
        case 416:
            (
                .requestRejected, "\(server) does not have the part that was asked for",
                "ask for another one, or for the whole"
            )
        case 451: (.requestRejected, "\(server) withholds this for legal reasons", "look for another source")
        default: (.requestRejected, "\(server) rejected the request", "check the URL, the method and the headers")
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
