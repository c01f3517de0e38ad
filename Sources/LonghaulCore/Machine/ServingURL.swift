/// Downloads behind redirects. Redirectors choose a server for each request, and servers of one file often differ in their validators,
/// so a resumed request goes to the URL that served the bytes. That URL may expire: then the transfer's own URL is requested.
extension TransferRecord {
    /// After this many failures in a row, the transfer's own URL is requested: a redirector knows which servers are up.
    private static let patience = 3

    /// The URL that served the bytes, if the next request for the rest goes there; `nil` if it goes to the URL of the source.
    var servingURL: String? {
        let facts = facts.download
        guard spec.method == "GET", !facts.requestsOwnURL, facts.mirrors?.isElsewhere != true,
            failuresOfSource < Self.patience, let url = facts.effectiveURL, isRedirected(to: url)
        else { return nil }
        return url
    }

    private var failuresOfSource: Int {
        max(facts.failuresInARow, facts.download.mirrors?.failuresOfCurrent() ?? 0)
    }

    /// Whether a redirect leads from the URL of the source to this one.
    func isRedirected(to url: String) -> Bool {
        // Both were read before.
        guard let own = try? TransferURL(parsing: placeURL), let other = try? TransferURL(parsing: url) else {
            return false
        }
        return own.origin != other.origin || own.path != other.path || own.query != other.query
    }

    /// Whether a response comes from another source than the bytes. Signatures in queries differ for each request.
    func isFromOtherSource(_ head: ResponseHead?) -> Bool {
        guard let head, let known = facts.download.effectiveURL, let own = try? TransferURL(parsing: known),
            let other = try? TransferURL(parsing: head.effectiveURL)
        else { return false }
        return own.origin != other.origin || own.path != other.path
    }

    /// The rest comes from this URL, which has the same version.
    mutating func noteServingURL(_ head: ResponseHead) {
        guard facts.download.mirrors?.isElsewhere != true else { return }
        facts.download.effectiveURL = head.effectiveURL
        facts.download.requestsOwnURL = false
    }
}

extension TransferMachine {
    /// Handles the refusal of a URL that a redirect led to. Such URLs expire, and a fresh redirect from the transfer's own URL may
    /// lead to one that has not. `nil` if the refusal counts: it answers the request for the transfer's own URL.
    ///
    /// A crash here requests the expired URL or the transfer's own URL next, and both lead here or on.
    mutating func leaveServingURL(
        after head: ResponseHead, _ resume: ResumePoint?, at moment: Moment
    ) -> [TransferAction]? {
        guard [400, 401, 403, 404, 410].contains(head.status) else { return nil }
        if record.state == .running(.receiving) {
            // The redirect was followed in this attempt and served bytes; a further connection to its target was refused.
            guard record.isRedirected(to: head.effectiveURL) else { return nil }
            record.facts.download.requestsOwnURL = true
            return lost(.redirectExpired(head.status), at: moment)
        }
        guard let resume, record.servingURL != nil else { return nil }
        record.facts.download.requestsOwnURL = true
        record.facts.lastFailure = .redirectExpired(head.status)
        return fetch(from: resume)
    }
}

extension TransferFailure {
    fileprivate static func redirectExpired(_ status: Int) -> TransferFailure {
        TransferFailure(
            .connectionLost,
            "The URL that the server redirected to does not serve the rest of the file (\(status)). Longhaul requests the transfer's own URL.",
            origin: .status(status))
    }

    static let otherSource = TransferFailure(
        .contentChanged,
        "The redirect led to another source, which does not have the same version of the file. Use the URL of one source.")
}
