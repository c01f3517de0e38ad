/// Everything durable about one transfer: what was asked, where it is, and the facts learnt on the way.
@usableFromInline package struct TransferRecord: Equatable, Sendable {
    package var id: TransferID
    /// Order of submission in the session; given by the store, 0 until stored.
    package var sequence: Int64
    package var state: TransferState
    @usableFromInline package var asked: CopyOnWrite<TransferSpec>
    @usableFromInline package var learnt: CopyOnWrite<TransferFacts>

    /// What is asked for. It hardly ever changes.
    @inlinable package var spec: TransferSpec {
        @inline(__always) get { asked.value }
        _modify { yield &asked.value }
    }

    /// What was learnt on the way.
    @inlinable package var facts: TransferFacts {
        @inline(__always) get { learnt.value }
        _modify { yield &learnt.value }
    }

    package func asksTheSame(as other: TransferRecord) -> Bool { asked == other.asked }

    package init(id: TransferID, spec: TransferSpec, state: TransferState, createdAt: WallTime) {
        self.id = id
        sequence = 0
        asked = CopyOnWrite(spec)
        self.state = state
        learnt = CopyOnWrite(
            TransferFacts(createdAt: createdAt, deadline: spec.options.deadline(from: createdAt)))
    }

    /// The priority in force.
    package var priority: Int { facts.changes.priority ?? spec.options.priority }

    /// Its rank in the queue: what is discretionary comes after everything that is not.
    package var turnPriority: Int {
        spec.options.conditions.isDiscretionary ? priority - 10_000_000 : priority
    }

    /// The limit of rate in force, in bytes a second.
    package var rateLimit: Int64? {
        (facts.changes.rateLimit ?? spec.options.rateLimit).flatMap { $0 == 0 ? nil : $0 }
    }
}

/// What was learnt about a transfer. All of it is a hint except where a rule says otherwise: the bytes outrank it.
@usableFromInline package struct TransferFacts: Equatable, Sendable {
    package var createdAt: WallTime
    /// When its resource time is over; moved by `retry`.
    package var deadline: WallTime
    package var startedAt: WallTime?
    package var endedAt: WallTime?
    package var lastProgressAt: WallTime?
    /// Attempts begun in all.
    package var attempts = 0
    /// Failures in a row without a byte won; what `retryLimit` counts and back-off grows with.
    package var failuresInARow = 0
    /// Name lookups in a row that failed without an answer.
    package var failedLookups = 0
    /// Times that the transfer began again from byte 0 because what it had could not be used.
    package var restarts = 0
    /// How a download lost what it had and began again.
    package var beginningsAnew = BeginningsAnew()
    /// Bytes known to be safe: on disk for a download, acknowledged for tus, sent for other uploads.
    package var bytesDone: Int64 = 0
    /// The highest `bytesDone` ever: only what exceeds it counts as progress.
    package var progressMark: Int64 = 0
    /// Length of the body that is moved, once known.
    package var bytesTotal: Int64?
    package var lastFailure: TransferFailure?
    /// Refusals of the named credential since the last time that it was taken, or that a person stepped in.
    package var credentialRefusals = 0
    /// Work that remains after the end, done until it succeeds: harmless when done twice.
    package var cleanup: Set<CleanupTask> = []
    package var changes = LaterChanges()
    /// Whether a person said that it goes on whatever the conditions are.
    package var ignoresConditions = false
    /// Whether a person said that it begins now, whatever its date and its hours are.
    package var startsAtOnce = false

    @inlinable package var download: DownloadFacts {
        @inline(__always) get { sharedDownload.value }
        _modify { yield &sharedDownload.value }
    }
    @inlinable package var upload: UploadFacts {
        @inline(__always) get { sharedUpload.value }
        _modify { yield &sharedUpload.value }
    }
    @usableFromInline var sharedDownload = Self.noDownload
    @usableFromInline var sharedUpload = Self.noUpload
    package var response: Response?

    package init(createdAt: WallTime, deadline: WallTime) {
        self.createdAt = createdAt
        self.deadline = deadline
    }

    // Shared by all that have learnt nothing of the kind.
    static let noDownload = CopyOnWrite(DownloadFacts())
    static let noUpload = CopyOnWrite(UploadFacts())
}

/// Changes after the submission.
package struct LaterChanges: Equatable, Sendable {
    /// Bytes per second; 0 removes the limit of the submission.
    package var rateLimit: Int64?
    package var priority: Int?
    /// The request as it was submitted, if it has changed since. The key belongs to that request too.
    package var submitted: CopyOnWrite<SubmittedRequest>?

    mutating func note(_ spec: TransferSpec, replacedBy other: TransferSpec) {
        let former = SubmittedRequest(spec)
        if submitted == nil, former != SubmittedRequest(other) { submitted = CopyOnWrite(former) }
    }
}

/// The parts of a submitted request that a change can replace.
package struct SubmittedRequest: Equatable, Sendable {
    package var url: String
    /// The directory and the name of a download.
    package var directory: String?
    package var fileName: String?

    package init(_ spec: TransferSpec) {
        url = spec.url
        directory = spec.download?.directory
        fileName = spec.download?.fileName
    }

    init(url: String) {
        self.url = url
    }
}

extension TransferFacts {
    mutating func beginAnew(because reason: BeginningAnew) {
        beginningsAnew.count += 1
        beginningsAnew.latest = download.foreign == .copied ? .notContinued : reason
        if download.foreign == .copied { download.foreign = .settled }
    }
}

@usableFromInline package struct DownloadFacts: Equatable, Sendable {
    /// What identifies the version being downloaded; `nil` until a response head was accepted.
    package var validators: Validators?
    /// The URL that served the bytes, after redirects.
    package var effectiveURL: String?
    /// The server's suggestion, made safe.
    package var suggestedName: String?
    /// Digests the server offered for the whole representation.
    package var offeredDigests: [Digest] = []
    /// Length that was on stable storage at the last checkpoint.
    package var syncedLength: Int64 = 0
    /// The boot in which the bytes beyond `syncedLength` were written; after another boot they are not trusted.
    package var bootID: String?
    /// What the partial file holds for certain, where it may have holes: then its length says nothing. `nil` for one without.
    package var segments: SegmentMap?
    /// Times that the whole file had another digest than expected.
    package var digestMismatches = 0
    /// The finished file.
    package var finished = FinishedFile()
    /// The places it comes from, once there is more than one to choose from.
    package var mirrors: MirrorTable?
    /// Times that pieces with a wrong digest were fetched again.
    package var repairs = 0
    /// Whether the file that was there before was looked at, which is worth doing once.
    package var hasLookedAtOldFile = false
    /// How far it is with what another program left.
    package var foreign = ForeignPartial.Stage.untouched
    /// How its version was served.
    package var served = ServedVersion()
    /// Which files hold its bytes.
    package var files = PartialFiles()

    package init() {}
}

/// The partial files of a download: a second one is needed while the bytes of an earlier version are kept.
package struct PartialFiles: Equatable, Sendable {
    /// Whether the version that is downloaded is in the second file.
    package var usesSecond = false
    /// Whether the other file may exist. Only `kept` says that its bytes are worth something.
    package var mayHaveOther = false
    /// The version in the other file.
    package var kept: CopyOnWrite<KeptVersion>?
    /// Former directories of the download that may still contain the files, oldest first. The next attempt moves the files.
    package var formerDirectories: [String] = []

    package init() {}
}

/// An earlier version whose bytes stay until a newer one is complete: the newer one may be a wrong answer.
package struct KeptVersion: Equatable, Sendable {
    package var validators: Validators
    package var effectiveURL: String?
    package var suggestedName: String?
    package var offeredDigests: [Digest] = []
    package var syncedLength: Int64 = 0
    package var bootID: String?
    package var segments: SegmentMap?
    package var served = ServedVersion()
    /// How many bytes of it there are.
    package var bytes: Int64 = 0
    /// The URL of the source that has it (`TransferRecord.placeURL`).
    package var source = ""

    package init(_ validators: Validators) {
        self.validators = validators
    }
}

/// A finished file as its record knows it.
package struct FinishedFile: Equatable, Sendable {
    package var path: String?
    /// As in `PlacedFile.refusals`.
    package var refusals: String?

    package init(path: String? = nil, refusals: String? = nil) {
        self.path = path
        self.refusals = refusals
    }
}

extension DownloadFacts {
    /// Where the finished file is.
    package var finalPath: String? {
        get { finished.path }
        set { finished.path = newValue }
    }
}

/// How the version that is downloaded was served.
package struct ServedVersion: Equatable, Sendable {
    package var mediaType: String?
    /// Whether `effectiveURL` refused the rest, so that the next request goes to the transfer's own URL.
    package var requestsOwnURL = false
    /// Whether the body ended without anything that marks its end, so that it may be cut.
    package var endsUnverified = false

    package init() {}
}

/// What tells one version of a remote file from another (RFC 9110, section 8.8).
package struct Validators: Equatable, Sendable {
    /// The entity tag as received, quotes and `W/` included.
    package var entityTag: String?
    /// `Last-Modified` as received.
    package var lastModified: String?
    /// Whether the file was so fresh when first seen that its validators may not tell two versions apart.
    package var isSoft: Bool
    /// The whole length that was announced.
    package var total: Int64?

    package init(entityTag: String?, lastModified: String?, isSoft: Bool, total: Int64?) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isSoft = isSoft
        self.total = total
    }

    /// Whether both name one version, as far as they say anything.
    package func isOfSameVersion(as other: Validators) -> Bool {
        if let entityTag { return entityTag == other.entityTag }
        return lastModified != nil && lastModified == other.lastModified && total == other.total
    }

    /// What another place of the same file must answer with: dates of mirrors differ, and where a digest decides tags may as well.
    package func elsewhere(isProvenByDigest: Bool) -> Validators {
        var validators = self
        validators.lastModified = nil
        if isProvenByDigest { (validators.entityTag, validators.isSoft) = (nil, true) }
        return validators
    }
}

@usableFromInline package struct UploadFacts: Equatable, Sendable {
    /// tus: the upload's own URL, once created.
    package var uploadURL: String?
    /// tus: the highest offset the server confirmed.
    package var acknowledged: Int64 = 0
    /// The highest offset this client ever tried to send.
    package var sentHighWater: Int64 = 0
    /// tus: whether a request that ends the upload was sent completely and never answered.
    package var allBytesSent = false
    /// tus: times the server's offset went backwards or stood still, since the last progress.
    package var stalls = 0
    /// The offset at which the server refused a PATCH (403).
    package var refusedAt: Int64?
    /// tus: when the server will drop the upload.
    package var expires: WallTime?
    /// tus: what OPTIONS told; `nil` until asked.
    package var tus: TusCapabilities?

    package init() {}
}

/// What a tus server said it can do (tus 1.0.0, OPTIONS).
package struct TusCapabilities: Equatable, Sendable {
    package var extensions: Set<String>
    package var maxSize: Int64?
    /// The creation URL that answered; it differs from the app's by a trailing slash at most.
    package var creationURL: String

    package init(extensions: Set<String>, maxSize: Int64?, creationURL: String) {
        self.extensions = extensions
        self.maxSize = maxSize
        self.creationURL = creationURL
    }
}

/// The final response to an upload or a request.
public struct Response: Equatable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The headers, without the values of `Set-Cookie`.
    public var headers: [HeaderField]
    /// The first bytes of the body, up to `responseLimit`.
    public var body: [UInt8]
    /// Whether the end of the body is missing: the body was longer than the limit, or the connection was
    /// lost.
    public var isTruncated: Bool
    /// The absolute URL of the resource that the request created: `Location`, resolved, or the URL of a tus upload. The query
    /// may contain secrets.
    public var location: String?
    /// The URL that answered, after redirects; empty if an older version stored the response.
    package var url = ""

    /// Keeps a response.
    package init(status: Int, headers: [HeaderField], body: [UInt8], isTruncated: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isTruncated = isTruncated
    }

    /// Keeps a response without cookies and without the login that its URLs may contain.
    ///
    /// - Parameter uploadURL: The URL of a tus upload, whose last response has no `Location`.
    package init(_ head: ResponseHead, body: [UInt8], isTruncated: Bool, uploadURL: String? = nil) {
        self.init(
            status: head.status, headers: head.headers.filter { $0.name.lowercased() != "set-cookie" }, body: body,
            isTruncated: isTruncated)
        // A URL that answered was parsed before it was requested.
        guard let answered = try? TransferURL(parsing: head.effectiveURL) else { return }
        url = answered.withoutLogin.text
        let created = uploadURL ?? head.headers.single("Location")
        location = created.flatMap { answered.resolving($0)?.withoutLogin.text }
    }
}

package typealias ResponseSummary = Response

/// Work left over when a transfer has ended.
package enum CleanupTask: Int, Hashable, Sendable {
    /// Delete the partial file.
    case partialFile = 0
    /// Delete the staged bodies.
    case stagedBodies = 1
    /// Tell the tus server to drop the upload (termination extension).
    case remoteUpload = 2
    /// Delete the record itself, once nothing else is left.
    case record = 3
}
