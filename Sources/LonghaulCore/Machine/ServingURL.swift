/// Downloads behind redirects. Redirectors choose a server for each request, and servers of one file often differ in their validators, so
/// a resumed request goes to the URL that served the bytes. If that URL expires, Longhaul requests the transfer's own URL.
extension DownloadFacts {
    /// The number of failures in a row after which Longhaul requests the transfer's own URL: a redirector knows which servers are up.
    private static let patience = 3

    /// Returns the URL that served the bytes, if the next range request goes there; `nil` if it goes to the source's `own` URL.
    func servingURL(own: String, failuresInARow: Int) -> String? {
        let failures = max(failuresInARow, mirrors?.failuresOfCurrent() ?? 0)
        guard !served.requestsOwnURL, mirrors?.isElsewhere != true, failures < Self.patience, let url = effectiveURL,
            TransferURL.differ(own, url, inQuery: true)
        else { return nil }
        return url
    }

    /// Returns whether a response comes from another source than the bytes. Signatures in queries differ for each request.
    func isFromOtherSource(_ head: ResponseHead?) -> Bool {
        guard let head, let effectiveURL else { return false }
        return TransferURL.differ(effectiveURL, head.effectiveURL, inQuery: false)
    }

    /// Records the URL of a response with the same version, which has bytes after the apparent end.
    mutating func recordServing(_ head: ResponseHead) {
        served.endsUnverified = false
        guard mirrors?.isElsewhere != true else { return }
        effectiveURL = head.effectiveURL
        served.requestsOwnURL = false
    }
}

extension TransferURL {
    /// Returns whether two URLs, which parsed before, name different resources.
    static func differ(_ left: String, _ right: String, inQuery: Bool) -> Bool {
        guard let left = try? TransferURL(parsing: left), let right = try? TransferURL(parsing: right) else {
            return false
        }
        return left.origin != right.origin || left.path != right.path || inQuery && left.query != right.query
    }
}

extension TransferRecord {
    /// The URL that served the bytes, if the next range request goes there.
    var servingURL: String? {
        guard spec.method == "GET" else { return nil }
        return facts.download.servingURL(own: placeURL, failuresInARow: facts.failuresInARow)
    }
}

extension TransferMachine {
    /// Handles the refusal of a redirect target. Such URLs expire, and a fresh redirect from the transfer's own URL may lead to one that
    /// has not. Returns `nil` if the refusal counts, because it answers the request for the transfer's own URL.
    ///
    /// After a crash here, the next request goes to the expired URL or the transfer's own URL. Either continues the download or leads
    /// here again.
    mutating func leaveServingURL(
        after head: ResponseHead, _ resume: ResumePoint?, at moment: Moment
    ) -> [TransferAction]? {
        guard [400, 401, 403, 404, 410].contains(head.status) else { return nil }
        if record.state == .running(.receiving) {
            // The redirect worked in this attempt and served bytes; its target refused an additional connection.
            guard TransferURL.differ(record.placeURL, head.effectiveURL, inQuery: true) else { return nil }
            record.facts.download.served.requestsOwnURL = true
            return lost(.redirectExpired(head.status), at: moment)
        }
        guard let resume, record.servingURL != nil else { return nil }
        record.facts.download.served.requestsOwnURL = true
        record.facts.lastFailure = .redirectExpired(head.status)
        return fetch(from: resume)
    }
}

extension TransferFailure {
    fileprivate static func redirectExpired(_ status: Int) -> TransferFailure {
        TransferFailure(
            .connectionLost,
            "The target of the redirect does not serve the rest of the file (\(status)). Longhaul requests the original URL.",
            origin: .status(status))
    }

    static let otherSource = TransferFailure(
        .contentChanged,
        "The redirect led to another source, which has another version of the file. Use the URL of a single source."
    )
}
