/// The version of a file that the connections of a download fetch, as the first response stated it.
struct SegmentVersion {
    let head: ResponseHead
    private(set) var validators: Validators
    /// The time in nanoseconds after which a change of the file would change its validators; `nil` if they cannot show it.
    let settlesIn: Int64?

    init(_ head: ResponseHead, resume: ResumePoint?) {
        self.head = head
        let stated = ValidatorReading.validators(from: head)
        var validators = stated
        if head.status == 206, let resume {
            let total = validators.total ?? resume.validators.total
            // If a digest decides, the validators of the existing bytes are unknown: further parts must match this response.
            let isKnown = resume.validators.entityTag != nil || resume.validators.lastModified != nil
            if isKnown { validators = resume.validators }
            validators.total = total
        }
        settlesIn =
            if ResumeLadder.guardsParts(validators) {
                0
            } else if validators.isOfSameVersion(as: stated) {
                ValidatorReading.timeToSettle(head).map { $0.microseconds * 1_000 }
            } else {
                nil
            }
        self.validators = validators
    }

    /// Whether the server sends ranges and its validators distinguish versions, now or later.
    var canBeSplit: Bool { head.servesRanges && validators.total != nil && settlesIn != nil }

    /// The validators for the requests of further connections: by then they are settled.
    var settledValidators: Validators {
        var validators = validators
        if settlesIn != nil { validators.isSoft = false }
        return validators
    }

    /// Returns whether a whole body is of this version.
    func isThat(of other: ResponseHead) -> Bool {
        validators.isOfSameVersion(as: ValidatorReading.validators(from: other))
    }

    /// Returns whether another response states another digest of the whole.
    func contradicts(_ other: ResponseHead) -> Bool {
        let (ours, theirs) = (Self.digests(head), Self.digests(other))
        return !ours.isEmpty && !theirs.isEmpty && ours != theirs
    }

    private static func digests(_ head: ResponseHead) -> [Digest] {
        DigestFields.offered(in: head.headers, isWhole: head.status == 200)
    }
}

/// The sources of a download: its own server, and mirrors on which another version would be detected.
struct SegmentSources {
    var board: MirrorSelector
    /// Without the download's own server, which has index 0 on the board.
    private let mirrors: [MirrorPlan.Place]
    /// Whether a digest proves the whole file, so that nodes of one server may have other validators.
    let isProvenByDigest: Bool
    /// Whether a rejected certificate bans mirrors without TLS.
    let bansPlain: Bool
    /// Whether a redirect led to the URL that serves the file.
    let isRedirected: Bool
    /// Whether the URL of a redirect has refused a connection: its signature may have expired.
    var usesOwnURL = false
    /// Whether a node stated other validators for a file of the same length, and a digest proves the whole file.
    var ignoresValidators = false

    init(_ plan: ExchangePlan, _ mirrors: MirrorPlan, _ version: SegmentVersion, isRedirected: Bool) {
        let offered = DigestFields.offered(in: version.head.headers, isWhole: version.head.status == 200)
        isProvenByDigest = mirrors.isProvenByDigest || !offered.isEmpty
        bansPlain = mirrors.plain != .used
        self.isRedirected = isRedirected
        var all = mirrors.places
        let headers = plan.headers.filter { !$0.isSecret && !$0.requestsPart }
        for url in DuplicateLinks.urls(in: version.head) where !all.contains(where: { $0.url == url }) {
            all.append(MirrorPlan.Place(url: url, headers: headers, isAtHome: false))
        }
        let isProvable = isProvenByDigest || ResumeLadder.hasSettledTag(version.validators)
        if mirrors.plain == .banned { all.removeAll { TransferURL.isPlain($0.url) } }
        self.mirrors = isProvable ? all.filter { (try? TransferURL(parsing: $0.url)) != nil } : []
        board = MirrorSelector([plan.url] + self.mirrors.map(\.url))
    }

    /// The mirrors without TLS, by their indices on the board.
    var plainMirrors: Set<Int> {
        Set(mirrors.indices.filter { TransferURL.isPlain(mirrors[$0].url) }.map { $0 + 1 })
    }

    /// Handles a rejected certificate, if there is one. Returns the connections to mirrors that are not used any more.
    mutating func reject(
        _ place: Int, _ rejection: TransferFailure?, _ members: [Ticket: SegmentMember]
    ) -> [Ticket] {
        guard let rejection else { return [] }
        board.reject(place, rejection)
        guard bansPlain else { return [] }
        let plain = plainMirrors
        for index in plain { board.ban(index) }
        return members.filter { plain.contains($0.value.place) }.keys.sorted { $0.number < $1.number }
    }

    /// Returns the source with this index on the board.
    subscript(index: Int) -> SegmentAction.Source {
        index > 0 ? .mirror(mirrors[index - 1]) : usesOwnURL ? .ownURL : .servingURL
    }
}

extension HeaderField {
    package var requestsPart: Bool {
        ["range", "if-range", "if-match", "if-unmodified-since", "if-modified-since"].contains(name.lowercased())
    }
}

/// The bytes of a file with holes that are on stable storage.
struct SegmentSyncs {
    private(set) var synced: SegmentMap
    /// The bytes that a sync in progress will add.
    private var syncing: SegmentMap?
    private(set) var begunAt: Int64 = 0
    /// Bytes written since the last good sync may be lost, and no later sync reports that again (fsync(2)).
    private(set) var hasFailed = false

    init(synced: SegmentMap) { self.synced = synced }

    var isSyncing: Bool { syncing != nil }

    mutating func begin(_ map: SegmentMap, at now: Int64) {
        syncing = map
        begunAt = now
    }

    /// Discards the bytes from this one on.
    mutating func discard(from position: Int64) {
        synced = synced.clipped(to: position)
        syncing = syncing?.clipped(to: position)
    }

    mutating func end(isGood: Bool) {
        if isGood, let syncing { synced = synced.union(syncing) }
        if !isGood { hasFailed = true }
        syncing = nil
    }
}
