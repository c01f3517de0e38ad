/// Decides by the headers of a response what happens to a download's body.
package enum DownloadRule {
    /// Returns the decision. `resume` is the requested range; `nil` if the whole file was requested.
    ///
    /// A status alone is never trusted: a range is written only at its stated position, and only if it belongs to the
    /// version in the partial file.
    package static func decide(head: ResponseHead, resume: ResumePoint?) -> DownloadVerdict {
        switch head.status {
        case 200, 203:
            let bodyLength = head.announcedBodyLength
            if resume?.age != nil { return .refuse(.unproved(.noRanges)) }
            // The server ignores ranges, or the version changed. Either way, this is the whole file.
            return resume == nil ? .write(at: 0, bodyLength: bodyLength) : .holdForRestart(bodyLength: bodyLength)
        case 206:
            return resume.map { evaluatePart(head, $0) } ?? evaluateBeginning(head)
        case 412 where resume != nil:
            return .refuse(.changed)
        case 416:
            guard let resume else { return .refuse(.status) }
            return .refuse(evaluateUnsatisfied(head, resume))
        default:
            return .refuse(.status)
        }
    }

    private static func evaluatePart(_ head: ResponseHead, _ resume: ResumePoint) -> DownloadVerdict {
        if isMultipart(head) { return .refuse(.rangeUnusable("The server sent a multipart response.")) }
        if isEmptyAtEnd(head, resume) { return .refuse(evaluateUnsatisfied(head, resume)) }
        guard case .part(let first, let last, let total) = head.contentRange else {
            return .refuse(.rangeUnusable("The server sent no valid Content-Range."))
        }
        guard first == resume.requestedStart else {
            return .refuse(.rangeUnusable("The server sent another range than the requested one."))
        }
        if let end = resume.end, last >= end {
            return .refuse(.rangeUnusable("The server sent more than the requested range."))
        }
        let bodyLength = last - first + 1
        if let announced = head.announcedBodyLength, announced != bodyLength {
            return .refuse(.rangeUnusable("The Content-Length and the Content-Range contradict each other."))
        }
        if isAnotherVersion(head, resume) || differ(total, resume.validators.total) { return .refuse(.changed) }
        if let age = resume.age, let doubt = ContinuationRule.doubt(after: head, age) {
            return .refuse(.unproved(doubt))
        }
        if resume.isElsewhere, !proves(head, total, resume) { return .refuse(.changed) }
        if isOfUnknownVersion(head, resume) || resume.mustBeSettled && !isSettled(head, resume) {
            return .refuse(.rangeUnusable("The server did not state the version of the file."))
        }
        if let whole = total ?? resume.validators.total {
            guard resume.length <= whole else { return .refuse(resume.age == nil ? .changed : .unproved(.longer)) }
            guard last < whole else {
                return .refuse(.rangeUnusable("The range extends beyond the end of the file."))
            }
            // If the file ends here, only the overlap is left: it proves the file, and nothing is missing.
            if resume.length == whole, last == whole - 1, resume.overlap > 0 {
                return .compareThenWrite(from: first, overlap: resume.overlap, bodyLength: bodyLength)
            }
        }
        // The total is unknown, and this may be the end. The next request is for the byte after it, and a 416 confirms
        // the end.
        if total ?? resume.validators.total == nil, resume.overlap > 0, last == resume.length - 1 {
            return .compareThenWrite(from: first, overlap: resume.overlap, bodyLength: bodyLength)
        }
        // A part may be shorter than requested, but a part without a new byte would be requested forever.
        guard last >= resume.length else {
            return .refuse(.rangeUnusable("The range contains no missing byte."))
        }
        guard resume.overlap > 0 else { return .write(at: resume.length, bodyLength: bodyLength) }
        return .compareThenWrite(from: first, overlap: resume.overlap, bodyLength: bodyLength)
    }

    /// Evaluates a part that was sent although the whole file was requested. Its bytes are kept if the rest can be requested: then the
    /// validators prove that both have the same version.
    private static func evaluateBeginning(_ head: ResponseHead) -> DownloadVerdict {
        let partial = DownloadVerdict.refuse(
            .rangeUnusable("The server sent only part of the file although the whole file was requested."))
        guard !isMultipart(head), case .part(0, let last, _) = head.contentRange else { return partial }
        let length = last + 1
        if let announced = head.announcedBodyLength, announced != length { return partial }
        let rest = ResumeLadder.plan(
            partialLength: length, validators: ValidatorReading.validators(from: head), hasTrustedDigest: false)
        guard case .resume = rest else { return partial }
        return .write(at: 0, bodyLength: length)
    }

    /// Returns whether a part is the response to a request for the byte after the end: RFC 9110 requires a 416, but some servers send an
    /// empty part.
    private static func isEmptyAtEnd(_ head: ResponseHead, _ resume: ResumePoint) -> Bool {
        guard isAfterEnd(resume), head.announcedBodyLength ?? 0 == 0 else { return false }
        return switch head.contentRange {
        case .empty(let position, let total): position == resume.length && total ?? position == position
        case nil: head.headers.all("Content-Range").isEmpty && head.announcedBodyLength == 0
        case .part, .unsatisfied: false
        }
    }

    /// Returns whether the byte after the received ones was requested to find out whether it exists.
    private static func isAfterEnd(_ resume: ResumePoint) -> Bool {
        resume.overlap == 0 && resume.map == nil && resume.validators.total == nil
    }

    private static func evaluateUnsatisfied(_ head: ResponseHead, _ resume: ResumePoint) -> DownloadVerdict.Refusal {
        if resume.age != nil { return .unproved(.longer) }
        let stated: Int64? =
            switch head.contentRange {
            case .unsatisfied(let total): total
            case .empty(_, let total): total
            case .part, nil: nil
            }
        guard let total = stated else {
            return isAfterEnd(resume) && !isAnotherVersion(head, resume) ? .alreadyComplete : .lengthUnknown
        }
        let isWhole = total == resume.length && !differ(total, resume.validators.total)
        return isWhole && !isAnotherVersion(head, resume) ? .alreadyComplete : .changed
    }

    /// Some servers ignore the conditions of a range request (`If-Range`, `If-Match`) and respond with another version.
    /// So the validators in the response are compared too.
    private static func isAnotherVersion(_ head: ResponseHead, _ resume: ResumePoint) -> Bool {
        VersionGuard.failing(in: head, known: resume.validators) != nil
    }

    /// Returns whether a part does not state its version although the first response did. A part has the entity tag
    /// that the whole file would have. A response to `If-Range` may omit the date (RFC 9110, section 15.3.7).
    private static func isOfUnknownVersion(_ head: ResponseHead, _ resume: ResumePoint) -> Bool {
        guard ResumeLadder.hasStrongTag(resume.validators) else { return false }
        return head.headers.single("ETag") == nil && head.headers.single("Last-Modified") == nil
    }

    /// Returns whether a part repeats all validators of the first response, at a time when they distinguish versions.
    private static func isSettled(_ head: ResponseHead, _ resume: ResumePoint) -> Bool {
        let stated = ValidatorReading.validators(from: head)
        return !stated.isSoft && stated.entityTag == resume.validators.entityTag
            && stated.lastModified == resume.validators.lastModified
    }

    /// Returns whether another source states that it has the same version: the same length, and the tag if one is
    /// known.
    private static func proves(_ head: ResponseHead, _ total: Int64?, _ resume: ResumePoint) -> Bool {
        guard let total, total == resume.validators.total else { return false }
        return resume.validators.entityTag == nil || resume.validators.entityTag == head.headers.single("ETag")
    }

    private static func differ<Value: Equatable>(_ left: Value?, _ right: Value?) -> Bool {
        guard let left, let right else { return false }
        return left != right
    }

    private static func isMultipart(_ head: ResponseHead) -> Bool {
        head.headers.all("Content-Type").contains { $0.lowercased().hasPrefix("multipart/") }
    }
}
