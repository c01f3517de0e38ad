/// One HTTP exchange, completely specified.
@usableFromInline package struct ExchangePlan: Equatable, Sendable {
    package var method: String
    package var url: String
    /// All headers except `Host`, `Content-Length`, `Expect`, and `User-Agent`, which the engine sets.
    package var headers: [HeaderField]
    package var body: BodyPlan?
    package var sink: SinkPlan
    @inlinable package var network: NetworkOptions {
        @inline(__always) get { sharedNetwork.value }
        _modify { yield &sharedNetwork.value }
    }
    @usableFromInline var sharedNetwork: CopyOnWrite<NetworkOptions>
    /// The options for its current server, if the proxy is determined for each server.
    @usableFromInline var route: Route?
    package var rateLimit: Int64?
    /// How many body bytes it may transfer before it needs more; see `ExchangeEngine.setAllowance`.
    package var allowance: Int64?
    /// Whether it yields to other traffic.
    package var yields: Bool
    /// The terms for a system that runs it; `nil` if this process transfers the bytes.
    package var terms: CarrierTerms?
    /// Uploads follow only 307 and 308; downloads and requests without a body follow all (``RedirectRule``).
    package var followsOnlyRepeatingRedirects: Bool
    /// The connections that it may use.
    package var connection: ConnectionUse
    /// The credential whose headers the loop adds when it hands the plan to the engine; machines never see its secret.
    package var credential: CredentialScope?

    @usableFromInline struct Route: Equatable, Sendable {
        var origin: String
        @usableFromInline var network: CopyOnWrite<NetworkOptions>
        /// The proxies to use if the present one cannot be reached.
        var fallbacks: [String] = []
    }

    package init(
        method: String, url: String, headers: [HeaderField], body: BodyPlan?, sink: SinkPlan,
        network: CopyOnWrite<NetworkOptions>, rateLimit: Int64? = nil, followsOnlyRepeatingRedirects: Bool,
        connection: ConnectionUse = .any, credential: CredentialScope? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.sink = sink
        sharedNetwork = network
        self.rateLimit = rateLimit
        allowance = nil
        yields = false
        self.followsOnlyRepeatingRedirects = followsOnlyRepeatingRedirects
        self.connection = connection
        self.credential = credential
    }
}

// The route to each server: a redirect leads to another one.
extension ExchangePlan {
    /// The options for reaching its current server.
    @inlinable package var connecting: NetworkOptions {
        @inline(__always) get { (route?.network ?? sharedNetwork).value }
    }

    /// Returns the source of the proxy for this server; `nil` if the proxy is not looked up, or is known already.
    package func unknownProxy(for url: TransferURL) -> ProxySource? {
        guard let source = network.proxySource, route?.origin != url.origin else { return nil }
        return source
    }

    package mutating func found(_ proxy: FoundProxy, for url: TransferURL) {
        route = Route(
            origin: url.origin, network: CopyOnWrite(network.using(proxy)), fallbacks: proxy.fallbacks)
    }

    /// Switches to the next proxy of a script's answer. Returns `false` if there is none.
    package mutating func skipProxy() -> Bool {
        guard var route, let next = route.fallbacks.first else { return false }
        route.network = CopyOnWrite(network.using(FoundProxy(url: next)))
        route.fallbacks.removeFirst()
        self.route = route
        return true
    }
}

/// A request body of known length, streamed from its segments.
package struct BodyPlan: Equatable, Sendable {
    package enum Segment: Equatable, Sendable {
        case bytes([UInt8])
        /// `length` bytes of the file from `offset`. The engine checks the pin when it opens the file and again after the last
        /// byte; a difference ends the exchange with `sourceChanged`.
        case file(SourceFile, offset: Int64, length: Int64)
    }

    package var segments: [Segment]
    package var length: Int64
    /// Whether the last bytes are held back until `.sendRest`, so that `awaitingResponse` is on disk before it is true. With an
    /// empty body the whole request is held back.
    package var holdsLastBytes: Bool

    package init(segments: [Segment], length: Int64, holdsLastBytes: Bool) {
        self.segments = segments
        self.length = length
        self.holdsLastBytes = holdsLastBytes
    }
}

/// The destination of a response body.
package enum SinkPlan: Equatable, Sendable {
    /// Kept in memory up to `limit` bytes; the rest is read and discarded.
    case memory(limit: Int)
    /// Written to a partial file if `DownloadRule` accepts the response; otherwise read up to a small limit and discarded.
    indirect case partial(PartialPlan)

    /// Redirects the body to another partial file.
    package mutating func write(to path: String) {
        guard case .partial(var partial) = self else { return }
        partial.path = path
        self = .partial(partial)
    }

    /// Whether the file is read while it grows.
    package var isFollowed: Bool {
        switch self {
        case .memory: false
        case .partial(let partial): partial.isFollowed
        }
    }
}

/// How a download's body is written to its partial file.
package struct PartialPlan: Equatable, Sendable {
    package var path: String
    /// The range to request, and the conditions for the response; `nil` for the whole file from byte 0.
    package var resume: ResumePoint?
    /// Digests to compute while streaming, if the bytes arrive in order from byte 0.
    package var digests: Set<Digest.Algorithm>
    /// Bytes between two syncs of the file, each followed by `.checkpoint`.
    package var checkpointInterval: Int64
    /// Whether a small body may stay in memory until the final rename (`ExchangeOutcome.Disposition.held`).
    package var mayBeHeld: Bool
    /// The maximum number of connections; `nil` to determine how many help.
    package var segments: Int? = 1
    /// Mirrors for connections beyond the first.
    package var mirrors = MirrorPlan()
    /// The part of the remote file that counts as the whole download.
    package var range: FilePart?
    /// The time of the existing file: a server file that is not newer is not fetched.
    package var unchangedSince: WallTime?
    /// The length of the existing file: a server file of the same length is not fetched.
    package var unchangedLength: Int64?
    /// Whether the file is read while it grows.
    package var isFollowed = false

    package init(
        path: String, resume: ResumePoint?, digests: Set<Digest.Algorithm>, checkpointInterval: Int64 = 64 << 20,
        mayBeHeld: Bool = false
    ) {
        self.path = path
        self.resume = resume
        self.digests = digests
        self.checkpointInterval = checkpointInterval
        self.mayBeHeld = mayBeHeld
    }
}

/// Mirrors of the same file, for further connections of a download.
package struct MirrorPlan: Equatable, Sendable {
    /// One mirror, and the headers for it.
    package struct Place: Equatable, Sendable {
        package var url: String
        package var headers: [HeaderField]
        /// Whether it has the origin of the transfer's own URL, which receives the client certificate and secrets.
        package var isAtHome: Bool

        package init(url: String, headers: [HeaderField], isAtHome: Bool) {
            self.url = url
            self.headers = headers
            self.isAtHome = isAtHome
        }
    }

    package var places: [Place]
    /// Whether a final digest proves that everything is of one version. Then a different entity tag does not mean another version,
    /// and the bytes where two responses meet need no comparison.
    package var isProvenByDigest: Bool
    /// The use of mirrors without TLS.
    package var plain: PlainMirrors

    package init(
        places: [Place] = [], isProvenByDigest: Bool = false, plain: PlainMirrors = .usedUntilRejection
    ) {
        self.places = places
        self.isProvenByDigest = isProvenByDigest
        self.plain = plain
    }
}

/// The offset at which a download resumes, and the conditions for it.
package struct ResumePoint: Equatable, Sendable {
    /// Bytes of the partial file that are kept if the overlap agrees.
    package var length: Int64
    /// How many of those bytes are requested again and compared with the file: the request has `bytes=(length - overlap)-`.
    package var overlap: Int64
    package var validators: Validators
    /// The end of the first hole of the partial file; `nil` if it has no bytes beyond `length`.
    package var end: Int64?
    /// All ranges of a partial file with holes, which is not truncated.
    package var map: SegmentMap?
    /// Whether the request goes to another mirror than the one that stated the version. Its response must then have the same entity
    /// tag, if one is known, and the same length.
    package var isElsewhere = false
    /// Whether the validators of the first response could not distinguish versions yet. A part must repeat them, and be sent when
    /// they can.
    package var mustBeSettled = false
    /// The age of another program's partial file: the response's date must confirm it (`ContinuationRule`). `nil` if another proof
    /// does.
    package var age: FileAge?

    package init(length: Int64, overlap: Int64, validators: Validators) {
        self.length = length
        self.overlap = overlap
        self.validators = validators
    }

    /// The first byte requested.
    package var requestedStart: Int64 { length - overlap }

    /// The number of bytes in the file.
    package var held: Int64 { map?.count ?? length }
}

/// The connections that an exchange may use.
package enum ConnectionUse: Equatable, Sendable {
    /// Any, shared with others if the protocol allows it.
    case any
    /// One without other exchanges at the same time; it may have been used before.
    case undivided
    /// A new one.
    case unused
}
