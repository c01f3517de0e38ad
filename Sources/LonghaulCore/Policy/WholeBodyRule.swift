/// A whole body in response to a range request. It may be the file, or the login page of a network or a server.
enum WholeBodyRule {
    /// Returns why a whole body must not replace the partial file: neither its entity tag, nor its media type, nor its
    /// length matches. `nil` if it may.
    ///
    /// The attempt fails and the partial file stays, so a crash here loses nothing.
    ///
    /// If the server has refused the known version, another media type is plausible, except HTML.
    static func implausibility(
        of head: ResponseHead, beside record: TransferRecord, isVersionRefused: Bool = false
    ) -> TransferFailure? {
        if record.spec.download?.isOfWrongLength(head) == true { return .wrongLength }
        if let failure = record.spec.download?.contradiction(in: head) { return failure }
        let facts = record.facts.download
        let known = facts.validators
        if let tag = known?.entityTag, tag == head.headers.single("ETag") { return nil }
        if let total = known?.total, total == ValidatorReading.total(of: head) { return nil }
        let type = head.mediaType
        if isVersionRefused, type != "text/html" { return nil }
        guard facts.served.mediaType.map({ $0 != type }) ?? (type == "text/html") else { return nil }
        let host = (try? TransferURL(parsing: head.effectiveURL))?.host ?? ""  // A used URL parses.
        let size = head.announcedBodyLength.map { ", \($0) bytes" } ?? ""
        let content = (type ?? "application/octet-stream") + size
        let hosts = [record.spec.url, facts.effectiveURL ?? ""].compactMap { (try? TransferURL(parsing: $0))?.host }
        guard type == "text/html", !hosts.contains(host) else {
            return TransferFailure(
                .serverFailed,
                "\(host) sent other content (\(content)) instead of the rest of the file. The bytes received before are kept. If it is a login page, log in or add credentials, then retry."
            )
        }
        return TransferFailure(
            .captivePortal,
            "\(host) sent other content (\(content)) instead of the rest of the file. The bytes received before are kept. If this network requires a login, log in with a browser."
        )
    }

    /// The reason to reject a whole body that arrives after the kept version was refused.
    enum Verdict {
        /// The body is of the kept version, or cannot be the file.
        case takeBack(TransferFailure)
        case refuse(TransferFailure)
    }

    static func verdict(on head: ResponseHead, besideKept record: TransferRecord) -> Verdict? {
        let files = record.facts.download.files
        guard files.kept != nil else { return nil }
        if files.isOfKept(head) { return .takeBack(.versionChanged(nil)) }
        if record.spec.download?.isOfWrongLength(head) == true { return .takeBack(.wrongLength) }
        var before = record
        before.facts.restoreKept()
        return implausibility(of: head, beside: before, isVersionRefused: true).map(Verdict.refuse)
    }

    /// Returns the reason why a whole body replaces the current bytes.
    static func reason(for head: ResponseHead, beside record: TransferRecord) -> RestartReason {
        let facts = record.facts.download
        if facts.contradicts(DigestFields.offered(in: head.headers, isWhole: true)) { return .digestChanged }
        // Without conditions in the request, only a server without ranges sends the whole file.
        if record.hasDigest { return .rangesIgnored }
        guard let known = facts.validators, !known.isOfSameVersion(as: ValidatorReading.validators(from: head)) else {
            return .rangesIgnored
        }
        if facts.isFromOtherSource(head) { return .otherSource }
        return RestartReason(VersionGuard.failing(in: ExchangeOutcome(ending: .responded, head: head), known: known))
    }
}

extension DownloadSpec {
    /// Returns the failure if a response states a digest other than the expected one.
    fileprivate func contradiction(in head: ResponseHead) -> TransferFailure? {
        guard let expectedDigest,
            DigestFields.offered(in: head.headers, isWhole: head.status == 200).contains(where: {
                $0.algorithm == expectedDigest.algorithm && $0 != expectedDigest
            })
        else { return nil }
        return TransferFailure(
            .serverFailed,
            "The server's digest (Repr-Digest) differs from the expected digest. The bytes already received are kept."
        )
    }
}

extension ResponseHead {
    /// `Content-Type` without parameters, in lower case.
    var mediaType: String? {
        headers.single("Content-Type").map { String($0.prefix { $0 != ";" && $0 != " " }).lowercased() }
    }
}
