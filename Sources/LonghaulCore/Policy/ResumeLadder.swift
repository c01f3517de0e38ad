/// The decision how a download resumes from its partial file.
package enum ResumeDecision: Equatable, Sendable {
    /// The partial file cannot be used.
    case fromStart
    /// The partial file is complete; no request is needed.
    case alreadyComplete
    case resume(ResumePoint)
}

/// Chooses the strongest proof that two responses have the same version: a strong entity tag, otherwise a date that is
/// old enough, otherwise a digest of the whole file. Without any of them, the download starts over.
package enum ResumeLadder {
    /// The number of bytes that are requested again and compared, in case the validators miss a change.
    static let usualOverlap: Int64 = 4_096

    /// Returns the decision. `hasTrustedDigest`: a digest of the whole file will be checked at the end.
    package static func plan(
        partialLength: Int64, validators: Validators?, hasTrustedDigest: Bool, requestOverlap: Int64 = usualOverlap
    ) -> ResumeDecision {
        guard partialLength > 0 else { return .fromStart }
        if let total = validators?.total {
            if partialLength == total { return .alreadyComplete }
            if partialLength > total { return .fromStart }
        }
        let validators = validators ?? Validators(entityTag: nil, lastModified: nil, isSoft: true, total: nil)
        let isGuarded = !validators.isSoft && (strongTag(validators) != nil || date(validators) != nil)
        guard isGuarded || hasTrustedDigest else { return .fromStart }
        let overlap = min(max(requestOverlap, 0), partialLength)
        return .resume(ResumePoint(length: partialLength, overlap: overlap, validators: validators))
    }

    /// Returns the decision for a partial file of this length without holes, and the reason for a restart. After a
    /// reboot, only synced bytes are known to be correct.
    static func plan(
        _ record: TransferRecord, length: Int64, bootID: String
    ) -> (decision: ResumeDecision, obstacle: RestartReason) {
        let facts = record.facts.download
        let isSameBoot = facts.bootID == bootID
        let trusted = isSameBoot ? length : min(length, facts.syncedLength)
        let decision = plan(
            partialLength: trusted, validators: record.validatorsAtPlace, hasTrustedDigest: record.hasDigest)
        // A file that is longer than its version matches no version: it is truncated before another version is
        // recorded.
        let isOfNone = decision == .alreadyComplete && !isSameBoot && trusted != length
        let obstacle = Self.obstacle(partialLength: isOfNone ? 0 : trusted, validators: facts.validators)
        return (isOfNone ? .fromStart : decision, obstacle)
    }

    /// Returns the decision for a partial file with holes, the first of which is requested.
    package static func plan(
        _ map: SegmentMap, validators: Validators?, hasTrustedDigest: Bool
    ) -> ResumeDecision {
        guard let total = validators?.total, map.end <= total else { return .fromStart }
        let decision = plan(
            partialLength: min(map.count, total), validators: validators, hasTrustedDigest: hasTrustedDigest)
        guard case .resume(var point) = decision, let gap = map.gaps(in: total).first else { return decision }
        let before = map.ranges.first { $0.upperBound == gap.lowerBound }.map { gap.lowerBound - $0.lowerBound } ?? 0
        point.length = gap.lowerBound
        point.overlap = min(usualOverlap, before)
        point.end = gap.upperBound < total ? gap.upperBound : nil
        point.map = map
        return .resume(point)
    }

    /// Returns whether parts of this version can be downloaded in parallel without a digest of the whole file.
    package static func guardsParts(_ validators: Validators) -> Bool {
        plan(partialLength: 1, validators: validators, hasTrustedDigest: false) != .fromStart && validators.total != nil
    }

    /// Returns the headers that request the rest. Both conditions are sent for each validator, because some servers
    /// support only one of them. A soft tag is sent, because it can only refuse more. A soft date must not be sent (RFC
    /// 9110, section 13.1.5).
    ///
    /// `part` is the part of the remote file that the point refers to.
    package static func headers(for point: ResumePoint, in part: FilePart? = nil) -> [HeaderField] {
        let range = (part ?? FilePart(first: 0, last: nil)).field(
            from: point.requestedStart, to: point.end, of: point.validators.total)
        return [range] + conditions(point.validators)
    }

    /// Returns the headers that request these ranges, which are not empty.
    package static func headers(for ranges: [Range<Int64>], of validators: Validators) -> [HeaderField] {
        let list = ranges.map { "\($0.lowerBound)-\($0.upperBound - 1)" }.joined(separator: ",")
        return [HeaderField("Range", "bytes=" + list)] + conditions(validators)
    }

    private static func conditions(_ validators: Validators) -> [HeaderField] {
        if let tag = strongTag(validators) { return [HeaderField("If-Match", tag), HeaderField("If-Range", tag)] }
        if let date = date(validators), !validators.isSoft {
            return [HeaderField("If-Range", date), HeaderField("If-Unmodified-Since", date)]
        }
        return []
    }

    /// Returns whether the tag can prove that two sources have the same version.
    package static func hasSettledTag(_ validators: Validators) -> Bool {
        !validators.isSoft && strongTag(validators) != nil
    }

    static func hasStrongTag(_ validators: Validators) -> Bool { strongTag(validators) != nil }

    private static func strongTag(_ validators: Validators) -> String? {
        guard let text = validators.entityTag, let tag = EntityTag(text), !tag.isWeak else { return nil }
        return text
    }

    private static func date(_ validators: Validators) -> String? {
        validators.lastModified.flatMap { HTTPDate.parse($0) == nil ? nil : $0 }
    }
}
