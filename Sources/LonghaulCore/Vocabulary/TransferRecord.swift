/// The durable state of one transfer: its spec, its state, and the facts learned so far.
@usableFromInline package struct TransferRecord: Equatable, Sendable {
    package var id: TransferID
    /// Order of submission in the session; given by the store, 0 until stored.
    package var sequence: Int64
    package var state: TransferState
    @usableFromInline package var asked: CopyOnWrite<TransferSpec>
    @usableFromInline package var learnt: CopyOnWrite<TransferFacts>

    /// The spec, which rarely changes.
    @inlinable package var spec: TransferSpec {
        @inline(__always) get { asked.value }
        _modify { yield &asked.value }
    }

    /// The facts learned so far.
    @inlinable package var facts: TransferFacts {
        @inline(__always) get { learnt.value }
        _modify { yield &learnt.value }
    }

    package func isSameQuery(as other: TransferRecord) -> Bool { asked == other.asked }

    package init(id: TransferID, spec: TransferSpec, state: TransferState, createdAt: WallTime) {
        self.id = id
        sequence = 0
        asked = CopyOnWrite(spec)
        self.state = state
        learnt = CopyOnWrite(
            TransferFacts(createdAt: createdAt, deadline: spec.options.deadline(from: createdAt)))
    }

    /// The effective priority.
    package var priority: Int { facts.changes.priority ?? spec.options.priority }

    /// Its rank in the queue: discretionary transfers come after all others.
    package var turnPriority: Int {
        spec.options.conditions.isDiscretionary ? priority - 10_000_000 : priority
    }

    /// The effective rate limit, in bytes per second.
    package var rateLimit: Int64? {
        (facts.changes.rateLimit ?? spec.options.rateLimit).flatMap { $0 == 0 ? nil : $0 }
    }
}

/// Facts about a transfer. All are hints unless a rule says otherwise: the bytes on disk take precedence.
@usableFromInline package struct TransferFacts: Equatable, Sendable {
    package var createdAt: WallTime
    /// The deadline of the resource timeout; `retry` moves it.
    package var deadline: WallTime
    package var startedAt: WallTime?
    package var endedAt: WallTime?
    package var lastProgressAt: WallTime?
    /// The number of attempts begun.
    package var attempts = 0
    /// Consecutive failures without progress, for `retryLimit` and the back-off.
    package var failuresInARow = 0
    /// Consecutive name lookups that failed without an answer.
    package var failedLookups = 0
    /// Restarts from byte 0 because the partial result could not be used.
    package var restarts = 0
    /// The restarts of a download that lost its bytes.
    package var restartCounts = RestartCounts()
    /// The last synced offset of a download, the acknowledged offset of tus, or the bytes sent of other uploads.
    package var bytesDone: Int64 = 0
    /// The highest `bytesDone` ever: only bytes beyond it count as progress.
    package var progressMark: Int64 = 0
    /// The length of the body, once known.
    package var bytesTotal: Int64?
    package var lastFailure: TransferFailure?
    /// Why the last failure was not retried. It was decided from the headers of the response, which are not stored.
    package var retryEnd: RetryEnd?
    /// Refusals of the named credential since it was last accepted or the user intervened.
    package var credentialRefusals = 0
    /// Cleanup that remains after the end, repeated until it succeeds; repetition is harmless.
    package var cleanup: Set<CleanupTask> = []
    package var changes = LaterChanges()
    /// Whether the user lets it continue whatever the conditions are.
    package var ignoresConditions = false
    /// Whether the user started it now, whatever its start time and its allowed hours are.
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

    // Shared by all transfers without such facts.
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

    mutating func recordChange(_ spec: TransferSpec, replacedBy other: TransferSpec) {
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
    mutating func beginAnew(because reason: RestartReason) {
        restartCounts.count += 1
        restartCounts.latest = download.foreign == .copied ? .notContinued : reason
        if download.foreign == .copied { download.foreign = .settled }
    }
}

@usableFromInline package struct DownloadFacts: Equatable, Sendable {
    /// The validators of the version being downloaded; `nil` until a response was accepted.
    package var validators: Validators?
    /// The URL that served the bytes, after redirects.
    package var effectiveURL: String?
    /// The server's suggestion, sanitized.
    package var suggestedName: String?
    /// The server's digests of the whole representation.
    package var offeredDigests: [Digest] = []
    /// The synced length at the last checkpoint.
    package var syncedLength: Int64 = 0
    /// The boot in which the bytes beyond `syncedLength` were written; after another boot they are not trusted.
    package var bootID: String?
    /// The synced ranges of a partial file with holes, whose length means nothing. `nil` for a file without holes.
    package var segments: SegmentMap?
    /// Times that the whole file had another digest than expected.
    package var digestMismatches = 0
    /// The finished file.
    package var finished = FinishedFile()
    /// The sources of the file, if there are several.
    package var mirrors: MirrorTable?
    /// Times that pieces with a wrong digest were fetched again.
    package var repairs = 0
    /// Whether the existing file was checked, which is done once.
    package var hasLookedAtOldFile = false
    /// How far it has used another program's partial file.
    package var foreign = ForeignPartial.Stage.untouched
    /// How its version was served.
    package var served = ServedVersion()
    /// The files with its bytes.
    package var files = PartialFiles()

    package init() {}
}

/// The partial files of a download: a second one is needed while the bytes of an earlier version are kept.
package struct PartialFiles: Equatable, Sendable {
    /// Whether the second file has the version being downloaded.
    package var usesSecond = false
    /// Whether the other file may exist. Only `kept` means that its bytes are useful.
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
    /// The number of its bytes.
    package var bytes: Int64 = 0
    /// The URL of the source that has it (`TransferRecord.placeURL`).
    package var source = ""

    package init(_ validators: Validators) {
        self.validators = validators
    }
}

/// A finished file, as its record describes it.
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
    /// The path of the finished file.
    package var finalPath: String? {
        get { finished.path }
        set { finished.path = newValue }
    }
}

/// How the version being downloaded was served.
package struct ServedVersion: Equatable, Sendable {
    package var mediaType: String?
    /// Whether its response had an entity tag and a length.
    package var isIdentified = false
    /// Whether `effectiveURL` refused the rest, so that the next request goes to the transfer's own URL.
    package var requestsOwnURL = false
    /// Whether the body had no end marker, so that it may be truncated.
    package var endsUnverified = false

    package init() {}

    /// Returns the facts that still describe the file after its bytes were discarded: another type of content is not the file.
    var ofDiscardedBytes: ServedVersion {
        var facts = ServedVersion()
        (facts.mediaType, facts.isIdentified) = (mediaType, isIdentified)
        return facts
    }
}

/// Validators that distinguish versions of a remote file (RFC 9110, section 8.8).
package struct Validators: Equatable, Sendable {
    /// The entity tag as received, quotes and `W/` included.
    package var entityTag: String?
    /// `Last-Modified` as received.
    package var lastModified: String?
    /// Whether the file was so fresh when first seen that its validators may not tell two versions apart.
    package var isSoft: Bool
    /// The announced length of the whole file.
    package var total: Int64?

    package init(entityTag: String?, lastModified: String?, isSoft: Bool, total: Int64?) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.isSoft = isSoft
        self.total = total
    }

    /// Returns whether both identify one version, as far as they are set.
    package func isOfSameVersion(as other: Validators) -> Bool {
        if let entityTag { return entityTag == other.entityTag }
        return lastModified != nil && lastModified == other.lastModified && total == other.total
    }

    /// Returns the validators for another mirror: modification times of mirrors differ, and with a digest as proof entity tags may
    /// differ too.
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
    /// tus: times that the server's offset went back or did not change, since the last progress.
    package var stalls = 0
    /// The offset at which the server refused a PATCH (403).
    package var refusedAt: Int64?
    /// tus: when the server will drop the upload.
    package var expires: WallTime?
    /// tus: the response to OPTIONS; `nil` before the request.
    package var tus: TusCapabilities?

    package init() {}
}

/// The capabilities of a tus server (tus 1.0.0, OPTIONS).
package struct TusCapabilities: Equatable, Sendable {
    package var extensions: Set<String>
    package var maxSize: Int64?
    /// The creation URL that responded; it differs from the app's by a trailing slash at most.
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
    /// The first bytes of the body, up to `responseLimit`. `LonghaulFoundation` adds `data`, the same bytes as `Data`.
    public var body: [UInt8]
    /// Whether the end of the body is missing: the body was longer than the limit, or the connection was
    /// lost.
    public var isTruncated: Bool
    /// The absolute URL of the resource that the request created: `Location`, resolved, or the URL of a tus upload. The query
    /// may contain secrets.
    public var location: String?
    /// The URL that responded, after redirects; empty if an older version stored the response.
    package var url = ""

    /// Initializes a response.
    package init(status: Int, headers: [HeaderField], body: [UInt8], isTruncated: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isTruncated = isTruncated
    }

    /// Initializes a response without cookies and without the login that its URLs may contain.
    ///
    /// - Parameter uploadURL: The URL of a tus upload, whose last response has no `Location`.
    package init(_ head: ResponseHead, body: [UInt8], isTruncated: Bool, uploadURL: String? = nil) {
        self.init(
            status: head.status, headers: head.headers.filter { $0.name.lowercased() != "set-cookie" }, body: body,
            isTruncated: isTruncated)
        // A URL that responded was parsed before it was requested.
        guard let answered = try? TransferURL(parsing: head.effectiveURL) else { return }
        url = answered.withoutLogin.text
        let created = uploadURL ?? head.headers.single("Location")
        location = created.flatMap { answered.resolving($0)?.withoutLogin.text }
    }
}

package typealias ResponseSummary = Response

/// Cleanup that remains after a transfer has ended.
package enum CleanupTask: Int, Hashable, Sendable {
    /// Delete the partial file.
    case partialFile = 0
    /// Delete the staged bodies.
    case stagedBodies = 1
    /// Request that the tus server delete the upload (termination extension).
    case remoteUpload = 2
    /// Delete the record itself, once nothing else is left.
    case record = 3
}
