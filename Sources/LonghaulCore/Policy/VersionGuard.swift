/// The guards that distinguish two versions of a file. One rule decides whether bytes may be joined, for each source
/// and connection. The guard is the best fact that is known about the received bytes.
///
/// - A digest of the whole file decides at the end. The total lengths and the digests must agree; tags and dates may differ.
/// - With a strong entity tag, a response must have the same tag, or none.
/// - With a weak entity tag, it must have the same tag, or none, and no other date.
/// - With a date alone, it must have no other date.
///
/// In each case, the total length and the bytes that are requested again must match.
package enum VersionGuard: Equatable, Sendable {
    case digest, entityTag, date, length, bytes

    /// Returns the guard by which a response proves to be of another version; `nil` if none does. With a digest of the
    /// whole file, `known` has neither tag nor date (`Validators.elsewhere`).
    static func failing(in head: ResponseHead, known: Validators) -> VersionGuard? {
        // A response that names two versions matches neither.
        if head.headers.contradicts("ETag") { return .entityTag }
        if head.headers.contradicts("Last-Modified") { return .date }
        if let known = known.entityTag, let given = head.headers.single("ETag") {
            guard known.utf8.elementsEqual(given.utf8) else { return .entityTag }
            // Servers of one file often differ in their dates, which a strong tag outweighs.
            if EntityTag(given)?.isWeak == false { return nil }
        }
        guard let known = known.lastModified, let given = head.headers.single("Last-Modified") else { return nil }
        return known == given ? nil : .date
    }

    /// Returns the guard that ended an exchange; `nil` if the exchange does not show it.
    static func failing(in outcome: ExchangeOutcome, known: Validators?) -> VersionGuard? {
        if outcome.disposition == .overlapDiffers { return .bytes }
        guard let head = outcome.head, let known else { return nil }
        // A 412 has no body and may have no headers: the condition of the request failed (RFC 9110, section 15.5.13).
        if head.status == 412 { return ResumeLadder.hasStrongTag(known) ? .entityTag : .date }
        if let total = ValidatorReading.total(of: head), let known = known.total, total != known { return .length }
        return failing(in: head, known: known)
    }

    /// The difference, as the end of a sentence.
    var text: String {
        switch self {
        case .digest: "the server states another digest (Repr-Digest)"
        case .entityTag: "its entity tag (ETag) differs"
        case .date: "its date (Last-Modified) differs"
        case .length: "its length differs"
        case .bytes: "its bytes differ from those received"
        }
    }
}

extension TransferFailure {
    static func versionChanged(_ failed: VersionGuard?) -> TransferFailure {
        guard let failed else {
            return TransferFailure(.contentChanged, "The file on the server changed during the download.")
        }
        return TransferFailure(.contentChanged, "The file on the server changed during the download: \(failed.text).")
    }

    /// Returns the failure for connections that never lasted for a whole file, each with another version.
    fileprivate static func versionsInTurn(_ reason: RestartReason) -> TransferFailure {
        TransferFailure(
            .contentChanged,
            "No connection lasted for the whole file, and the received parts could not be joined: \(reason.text). Add a checksum of the file (--checksum), or use the URL of a single server."
        )
    }
}

extension TransferFacts {
    /// Handles different entity tags on connections to one server. A digest of the whole file outweighs them: the bytes
    /// stay, and the download continues over one connection that must match only the digest. Returns whether that can
    /// help.
    mutating func continuesAlone(after outcome: ExchangeOutcome) -> Bool {
        guard restarts == 0, download.segments != nil, outcome.disposition == .refused(.changed) else { return false }
        restarts += 1
        lastFailure = TransferFailure(
            .contentChanged,
            "The server stated different versions of the file on different connections. The digest decides, over one connection."
        )
        return true
    }

    /// Continues over one connection with the first bytes of a file whose parts differ. Returns whether that can help.
    mutating func continueAlone(from length: Int64) -> Bool {
        restarts += 1
        lastFailure = .partsDiffer
        download.keepFirst(length)
        bytesDone = length
        return restarts <= TransferRecord.restartLimit
    }

    /// Returns the failure that explains why the retries of a download were used up: the guard that discarded the bytes
    /// of earlier attempts, if one did. With several sources, it is the most informative failure.
    func explained(_ failure: TransferFailure) -> TransferFailure {
        if failure.code == .connectionLost || failure.code == .timedOut, let failure = versionsInTurn { return failure }
        return download.mirrors?.tellingFailure ?? failure
    }

    /// Returns the failure that explains why the restarts of a download were used up: each attempt found another version.
    func explainedRestarts(_ failure: TransferFailure) -> TransferFailure {
        failure.code == .contentChanged && failure != .partsDiffer ? versionsInTurn ?? failure : failure
    }

    private var versionsInTurn: TransferFailure? {
        guard restarts > 1, let reason = restartCounts.latest, reason.isAboutVersions else { return nil }
        return .versionsInTurn(reason)
    }
}
