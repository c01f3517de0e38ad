/// Requests of a download.
extension TransferRecord {
    /// Returns the plan for one exchange with `url`, from `resume` on.
    func fetchingPlan(
        _ url: String, from resume: ResumePoint?, to path: String, _ credential: CredentialScope?
    ) -> ExchangePlan {
        var headers = spec.headers(for: url).askingForIdentity
        if let download = spec.download { headers += download.asking(for: resume) }
        if facts.hasMismatch, headers.all("Cache-Control").isEmpty {
            headers.append(HeaderField("Cache-Control", "no-cache"))
        }
        // A silent source must not delay other known sources.
        let canChange = facts.download.validators == nil || isProvable
        let limit = canChange ? facts.download.mirrors?.silenceLimit : nil
        return ExchangePlan(
            method: spec.method, url: url, headers: headers, body: nil, sink: .partial(partial(resume, path)),
            network: spec.network(for: url, silentAtMost: limit), rateLimit: spec.options.rateLimit,
            followsOnlyRepeatingRedirects: false,
            credential: credential)
    }

    private func partial(_ resume: ResumePoint?, _ path: String) -> PartialPlan {
        var digests: Set<Digest.Algorithm> = []
        guard let download = spec.download else { preconditionFailure("not a download") }
        if resume == nil, let expected = download.expectedDigest { digests.insert(expected.algorithm) }
        // Pieces are verified in the file.
        let mayBeHeld = resume == nil && download.pieces == nil
        var partial = PartialPlan(path: path, resume: resume, digests: digests, mayBeHeld: mayBeHeld)
        // After a mismatch, use one server at a time, so that the source of wrong pieces is known.
        let isTrusted = facts.restarts == 0 && facts.download.repairs == 0
        // The start of a suffix is unknown, so it cannot be split.
        let canBeSplit = isTrusted && !download.isFollowed && download.range?.isSuffix != true
        partial.segments = canBeSplit ? spec.options.segments : 1
        partial.isFollowed = download.isFollowed
        partial.range = download.range
        partial.unchangedSince = download.unchangedSince
        partial.unchangedLength = download.unchangedLength
        let places = isTrusted ? facts.download.mirrors.map { spec.otherPlaces(in: $0) } : nil
        let plain = facts.download.plainMirrors(for: spec.download)
        partial.mirrors = MirrorPlan(places: places ?? [], isProvenByDigest: hasDigest, plain: plain)
        return partial
    }

    /// Returns the resume point for the current source. `isElsewhere`: another source served the current version. If digests of pieces
    /// prove the bytes, no overlap is compared.
    func adapted(_ point: ResumePoint) -> ResumePoint {
        var point = point
        point.isElsewhere = facts.download.mirrors?.isElsewhere ?? false
        if spec.download?.pieces != nil, point.map != nil { point.overlap = 0 }
        return point
    }
}

extension NetworkOptions {
    /// Returns options with shorter timeouts. Zero means no limit.
    func silent(atMost limit: Duration) -> NetworkOptions {
        func shorter(_ span: Duration, _ limit: Duration) -> Duration { span > .zero ? min(span, limit) : limit }
        var options = self
        options.connectTimeout = shorter(connectTimeout, limit)
        options.timeoutIntervalForResponse = shorter(timeoutIntervalForResponse, limit)
        options.timeoutIntervalForRequest = shorter(timeoutIntervalForRequest, limit * 5)
        return options
    }
}

extension TransferFacts {
    /// Whether an earlier response had wrong content. A cache may have served it, and must revalidate (RFC 9111, section 5.2.1.4).
    fileprivate var hasMismatch: Bool {
        if download.repairs > 0 { return true }
        if let reason = restartCounts.latest, reason.isAboutVersions || reason == .digestMismatch { return true }
        return lastFailure.map { [.digestMismatch, .contentChanged, .lengthMismatch].contains($0.code) } ?? false
    }
}

extension [HeaderField] {
    /// The headers of every request of a download, without ranges.
    var askingForIdentity: [HeaderField] {
        // Ranges count encoded bytes, so a resumable download requests no content coding (RFC 9110, section 14.1.2).
        var headers = self + [HeaderField("Accept-Encoding", "identity")]
        if headers.single("Want-Repr-Digest") == nil {
            headers.append(HeaderField("Want-Repr-Digest", "sha-256=10, sha-512=3"))
        }
        return headers
    }
}
