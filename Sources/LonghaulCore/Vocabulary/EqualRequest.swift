/// Decides when two submissions request the same thing: a user who repeats a command wants to see the first one's transfer, not a
/// second copy.
extension TransferSpec {
    /// Returns whether both transfer the same bytes from and to the same place, with the same request, over the same route, with
    /// the same trust, and as the same user. Waiting, rates, and a form's boundary do not count.
    package func requestsSame(as other: TransferSpec) -> Bool {
        guard url == other.url, headers == other.headers, network.reaches(likeOther: other.network),
            options.credentialName == other.options.credentialName,
            options.credentialKind == other.options.credentialKind,
            options.idempotencyKey == other.options.idempotencyKey
        else { return false }
        switch (work, other.work) {
        case (.download(let own), .download(let others)):
            return own.directory == others.directory && own.fileName == others.fileName
                && own.expectedDigest == others.expectedDigest && own.range == others.range
                && own.signature == others.signature && own.foreign == others.foreign && own.existing == others.existing
                && own.expectedLength == others.expectedLength && own.pieces == others.pieces
                && own.repairs == others.repairs
        case (.upload(.raw(let own)), .upload(.raw(let others))): return method == other.method && own == others
        case (.upload(.tus(let own, let metadata)), .upload(.tus(let others, let othersMetadata))):
            return own == others && metadata == othersMetadata
        case (.upload(.form(_, let own)), .upload(.form(_, let others))): return method == other.method && own == others
        // A request that is sent twice may be intended twice.
        case (.download, _), (.upload, _), (.request, _): return false
        }
    }

    /// A hash that is equal for equal requests. Its values differ between processes.
    package var equalityHash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        if let download {
            hasher.combine(download.directory)
            hasher.combine(download.fileName)
        }
        for source in sources { hasher.combine(source.path) }
        return hasher.finalize()
    }
}

extension NetworkOptions {
    /// Returns whether a server is reached over the same route, with the same trust, and as the same user. Keys accepted for an
    /// earlier transfer do not count: its user accepted them after the command.
    fileprivate func reaches(likeOther other: NetworkOptions) -> Bool {
        // A redirect may lead to the other scheme.
        let hasSameRoute =
            proxy(for: "http") == other.proxy(for: "http") && proxy(for: "https") == other.proxy(for: "https")
            && proxyExceptions == other.proxyExceptions && proxyCAFile == other.proxyCAFile
        let hasSameTrust =
            allowsUntrustedServer == other.allowsUntrustedServer && caFile == other.caFile
            && pinnedPublicKeys == other.pinnedPublicKeys
        let hasSameUser =
            authentication == other.authentication && clientCertificate == other.clientCertificate
            && cookieFile == other.cookieFile && cookieJar == other.cookieJar
            && keepsCookiesWithSession == other.keepsCookiesWithSession
        return hasSameRoute && hasSameTrust && hasSameUser
    }
}

extension TransferAdjustment {
    /// Initializes the changes for a command that joins a transfer: the options that the command gives and the transfer can still
    /// accept.
    package init(joining record: TransferRecord, _ options: TransferOptions) {
        let usual = TransferOptions()
        self.init(rateLimit: options.rateLimit, priority: options.priority == usual.priority ? nil : options.priority)
        if options.retryLimit != usual.retryLimit { retryLimit = options.retryLimit }
        if options.timeoutIntervalForResource != usual.timeoutIntervalForResource {
            timeoutIntervalForResource = options.timeoutIntervalForResource
        }
        progressTimeout = options.progressTimeout
        group = options.group
        // A command without conditions keeps those of the transfer: the user may leave it, and the schedule stays.
        if options.conditions != usual.conditions { conditions = options.conditions }
        if case .waiting = record.state { earliestBeginDate = options.earliestBeginDate }
        makesAttended = options.isAttended
    }
}

extension TransferSpec {
    /// The options of a command that have no effect on a transfer that it joins: the transfer keeps its own.
    package var optionsWithoutEffect: [String] {
        let usual = NetworkOptions()
        let options: [(name: String, isGiven: Bool)] = [
            ("--overwrite", download?.collision == .overwrite), ("--timestamping", download?.unchangedSince != nil),
            ("--remote-time", download?.keepsRemoteTime == true), ("--mirror", !options.mirrors.isEmpty),
            ("--split", options.segments != nil), ("--after", options.predecessor != nil),
            ("--not-before, if it has begun", options.earliestBeginDate != nil),
            ("--notify", options.notifications != .bySession), ("--user-agent", network.userAgent != usual.userAgent),
            ("--connect-timeout", network.connectTimeout != usual.connectTimeout),
            ("--response-timeout", network.timeoutIntervalForResponse != usual.timeoutIntervalForResponse),
            ("--stall-timeout", network.timeoutIntervalForRequest != usual.timeoutIntervalForRequest),
            ("--max-redirs", network.redirectLimit != usual.redirectLimit), ("--http3", network.http3 == .tried),
            ("--alt-svc", network.http3 == .announced), ("--verbose", network.keepsHeaders != usual.keepsHeaders),
        ]
        return options.filter(\.isGiven).map(\.name)
    }
}

extension TransferState {
    /// The command that resumes the transfer for a user who repeats a submission. A time that the server named stays.
    package var verbForJoiner: ControlVerb? {
        switch self {
        case .paused: .resume
        case .waiting(let waiting) where waiting.reason == .retry: .retry
        case .waiting, .running, .awaitingResponse, .succeeded, .failed, .cancelled: nil
        }
    }
}
