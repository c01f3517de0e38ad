/// A whole body, where the file is already known by an earlier response. It may be the file, or the login page of a network or a
/// server, or a page about too many downloads.
enum WholeBodyRule {
    /// Returns why a whole body that was sent instead of a part must not replace the partial file. `nil` if it may.
    ///
    /// The attempt fails and the partial file stays, so a crash here loses nothing.
    static func implausibility(
        of head: ResponseHead, instead resume: ResumePoint?, beside record: TransferRecord
    ) -> TransferFailure? {
        if record.spec.download?.isOfWrongLength(head) == true { return .wrongLength }
        if let failure = record.spec.download?.contradiction(in: head) { return failure }
        if let known = record.facts.download.validators {
            let stated = ValidatorReading.validators(from: head)
            if let failure = truncation(stated, known, instead: resume, from: head) { return failure }
            if let tag = known.entityTag, tag == stated.entityTag { return nil }
            if let total = known.total, total == stated.total { return nil }
        }
        return otherContent(in: head, beside: record)
    }

    /// Returns the failure for a body of another length than the version that it belongs to by its validators: some servers send the
    /// requested part without saying so.
    private static func truncation(
        _ stated: Validators, _ known: Validators, instead resume: ResumePoint?, from head: ResponseHead
    ) -> TransferFailure? {
        guard let length = stated.total, let total = known.total, length != total else { return nil }
        let isOfOneTag = ResumeLadder.hasStrongTag(known) && known.entityTag == stated.entityTag
        let isPart = resume.map { length == ($0.end ?? total) - $0.requestedStart } ?? false
        guard isOfOneTag || isPart && VersionGuard.failing(in: head, known: known) == nil else { return nil }
        return TransferFailure(
            .serverFailed,
            "\(host(of: head)) sent \(length) bytes as the whole file, which has \(total) bytes. The bytes received before are kept. Report it to its operator."
        )
    }

    /// Returns the failure for content that is not the file by the facts of earlier responses: it has another media type, or neither
    /// an entity tag nor a length, which the file had.
    private static func otherContent(in head: ResponseHead, beside record: TransferRecord) -> TransferFailure? {
        let facts = record.facts.download
        let type = head.mediaType
        let isOfOtherType =
            facts.served.mediaType.map { $0 != type } ?? (facts.validators != nil && type == "text/html")
        let lacksIdentity =
            facts.served.isIdentified && head.headers.single("ETag") == nil && ValidatorReading.total(of: head) == nil
        guard isOfOtherType || lacksIdentity else { return nil }
        let host = host(of: head)
        let size = head.announcedBodyLength.map { ", \($0) bytes" } ?? ""
        let content = (type ?? "application/octet-stream") + size
        let hosts = [record.spec.url, facts.effectiveURL ?? ""].compactMap { (try? TransferURL(parsing: $0))?.host }
        guard type == "text/html", !hosts.contains(host) else {
            return TransferFailure(
                .serverFailed,
                "\(host) sent other content (\(content)) instead of the rest of the file. The bytes received before are kept. If it is a login page, log in or add credentials, then retry. If the file has another type now, cancel the transfer and submit it again."
            )
        }
        return TransferFailure(
            .captivePortal,
            "\(host) sent other content (\(content)) instead of the rest of the file. The bytes received before are kept. If this network requires a login, log in with a browser."
        )
    }

    /// The URL of a response parses.
    private static func host(of head: ResponseHead) -> String {
        (try? TransferURL(parsing: head.effectiveURL))?.host ?? ""
    }

    /// The reason to reject a whole body that was requested.
    enum Verdict {
        /// The body is of the kept version, or cannot be the file.
        case takeBack(TransferFailure)
        case refuse(TransferFailure)
    }

    /// Returns the verdict on a whole body that was requested: the facts of earlier responses survive a restart. A digest of the
    /// whole file outweighs them.
    static func verdict(on head: ResponseHead, beside record: TransferRecord) -> Verdict? {
        let files = record.facts.download.files
        guard files.kept != nil else {
            return record.hasDigest ? nil : otherContent(in: head, beside: record).map(Verdict.refuse)
        }
        if files.isOfKept(head) { return .takeBack(.versionChanged(nil)) }
        if record.spec.download?.isOfWrongLength(head) == true { return .takeBack(.wrongLength) }
        var before = record
        before.facts.restoreKept()
        return implausibility(of: head, instead: nil, beside: before).map(Verdict.refuse)
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
