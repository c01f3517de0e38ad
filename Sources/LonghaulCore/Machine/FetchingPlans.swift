/// What a download asks its engine for.
extension TransferRecord {
    /// One exchange with `url`, from `resume` on.
    func fetchingPlan(
        _ url: String, from resume: ResumePoint?, to path: String, _ credential: CredentialScope?
    ) -> ExchangePlan {
        var headers = spec.headers(for: url).askingForIdentity
        if let download = spec.download { headers += download.asking(for: resume) }
        if facts.hasMismatch, headers.all("Cache-Control").isEmpty {
            headers.append(HeaderField("Cache-Control", "no-cache"))
        }
        // A source that is silent must not hold up others that are known.
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
        // Pieces are looked at in the file.
        let mayBeHeld = resume == nil && download.pieces == nil
        var partial = PartialPlan(path: path, resume: resume, digests: digests, mayBeHeld: mayBeHeld)
        // Servers whose answers did not fit together are asked for one at a time, and so is who may have given wrong pieces.
        let isTrusted = facts.restarts == 0 && facts.download.repairs == 0
        partial.segments = isTrusted && !download.isFollowed ? spec.options.segments : 1
        partial.isFollowed = download.isFollowed
        partial.range = download.range
        partial.unchangedSince = download.unchangedSince
        partial.unchangedLength = download.unchangedLength
        let places = isTrusted ? facts.download.mirrors.map { spec.otherPlaces(in: $0) } : nil
        partial.mirrors = MirrorPlan(places: places ?? [], isProvenByDigest: hasDigest)
        return partial
    }

    /// How a download goes on, where what it asks is another place than the one that it has its version from, or where pieces prove
    /// what comes, so that nothing needs to be compared.
    func adapted(_ point: ResumePoint) -> ResumePoint {
        var point = point
        point.isElsewhere = facts.download.mirrors?.isElsewhere ?? false
        if spec.download?.pieces != nil, point.map != nil { point.overlap = 0 }
        return point
    }
}

extension NetworkOptions {
    /// Zero stands for no limit.
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
    /// Whether what came was not what was wanted: a cache may have served it, and must ask the server (RFC 9111, section 5.2.1.4).
    fileprivate var hasMismatch: Bool {
        if download.repairs > 0 { return true }
        if let reason = beginningsAnew.latest, reason.isAboutVersions || reason == .digestMismatch { return true }
        return lastFailure.map { [.digestMismatch, .contentChanged, .lengthMismatch].contains($0.code) } ?? false
    }
}

extension [HeaderField] {
    /// These, and what every request of a download has beside those that say from which byte on.
    var askingForIdentity: [HeaderField] {
        // Ranges count encoded bytes: a resumable download is asked for as it is (RFC 9110, section 14.1.2).
        var headers = self + [HeaderField("Accept-Encoding", "identity")]
        if headers.single("Want-Repr-Digest") == nil {
            headers.append(HeaderField("Want-Repr-Digest", "sha-256=10, sha-512=3"))
        }
        return headers
    }
}
