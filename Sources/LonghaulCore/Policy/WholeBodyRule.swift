/// A whole body that comes instead of the rest of a file. It may be the file, or the login page of a network or a server.
enum WholeBodyRule {
    /// Returns why a whole body must not replace the partial file: it has neither the entity tag, nor the media type, nor the length
    /// that are known. `nil` if it may.
    ///
    /// The attempt fails and the partial file stays, so that a crash here loses nothing.
    static func implausibility(of head: ResponseHead, beside record: TransferRecord) -> TransferFailure? {
        let facts = record.facts.download
        let known = facts.validators
        if let tag = known?.entityTag, tag == head.headers.single("ETag") { return nil }
        if let total = known?.total, total == ValidatorReading.total(of: head) { return nil }
        let type = head.mediaType
        guard facts.served.mediaType.map({ $0 != type }) ?? (type == "text/html") else { return nil }
        let host = (try? TransferURL(parsing: head.effectiveURL))?.host ?? "The server"  // It answered, so it parses.
        let size = head.announcedBodyLength.map { ", \($0) bytes" } ?? ""
        let what =
            "\(host) sent something else (\(type ?? "no type")\(size)) instead of the rest of the file."
            + " What was received before is kept."
        let hosts = [record.spec.url, facts.effectiveURL ?? ""].compactMap { (try? TransferURL(parsing: $0))?.host }
        guard type == "text/html", !hosts.contains(host) else {
            return TransferFailure(
                .serverFailed, what + " If it is a login page, log in or give credentials, then retry.")
        }
        return TransferFailure(.captivePortal, what + " If this network wants you to sign in, do so in a browser.")
    }

    /// Why a whole body replaces what there is.
    static func reason(for head: ResponseHead, beside record: TransferRecord) -> BeginningAnew {
        let facts = record.facts.download
        if facts.contradicts(DigestFields.offered(in: head.headers, isWhole: true)) { return .digestChanged }
        // Without conditions in the request, only a server without ranges sends all.
        if record.hasDigest { return .rangesIgnored }
        guard let known = facts.validators, !known.isOfSameVersion(as: ValidatorReading.validators(from: head)) else {
            return .rangesIgnored
        }
        if facts.isFromOtherSource(head) { return .otherSource }
        return BeginningAnew(VersionGuard.failing(in: ExchangeOutcome(ending: .responded, head: head), known: known))
    }
}

extension ResponseHead {
    /// `Content-Type` without parameters, in lower case.
    var mediaType: String? {
        headers.single("Content-Type").map { String($0.prefix { $0 != ";" && $0 != " " }).lowercased() }
    }
}
