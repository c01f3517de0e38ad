/// One HTTP exchange, fully decided.
@usableFromInline package struct ExchangePlan: Equatable, Sendable {
    package var method: String
    package var url: String
    /// All fields to send except `Host`, `Content-Length`, `Expect` and `User-Agent`, which the engine sets.
    package var headers: [HeaderField]
    package var body: BodyPlan?
    package var sink: SinkPlan
    @inlinable package var network: NetworkOptions {
        @inline(__always) get { sharedNetwork.value }
        _modify { yield &sharedNetwork.value }
    }
    @usableFromInline var sharedNetwork: CopyOnWrite<NetworkOptions>
    /// What holds for its present server, where the proxy is found out for each.
    @usableFromInline var route: Route?
    package var rateLimit: Int64?
    /// How many bytes of bodies it may move before it asks for more; see `ExchangeEngine.setAllowance`.
    package var allowance: Int64?
    /// Whether it makes room for the traffic of others.
    package var yields: Bool
    /// What a system that carries it is told; `nil` where this process moves the bytes.
    package var terms: CarrierTerms?
    /// Uploads follow only 307 and 308; downloads and requests without a body follow all (``RedirectRule``).
    package var followsOnlyRepeatingRedirects: Bool
    /// Which connection may carry it.
    package var connection: ConnectionUse
    /// The credential whose fields the loop adds when it hands the plan to the engine; machines know no secret of it.
    package var credential: CredentialScope?

    @usableFromInline struct Route: Equatable, Sendable {
        var origin: String
        @usableFromInline var network: CopyOnWrite<NetworkOptions>
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

// The way to each server that it asks: a redirect leads to another one.
extension ExchangePlan {
    /// How its present server is reached.
    @inlinable package var connecting: NetworkOptions {
        @inline(__always) get { (route?.network ?? sharedNetwork).value }
    }

    /// Where the proxy for this server is to be found out; `nil` where that is not to be done, or was.
    package func unknownProxy(for url: TransferURL) -> ProxySource? {
        guard let source = network.proxySource, route?.origin != url.origin else { return nil }
        return source
    }

    package mutating func found(_ proxy: FoundProxy, for url: TransferURL) {
        route = Route(origin: url.origin, network: CopyOnWrite(network.using(proxy)))
    }
}

/// A request body of exactly known length, streamed from its segments.
package struct BodyPlan: Equatable, Sendable {
    package enum Segment: Equatable, Sendable {
        case bytes([UInt8])
        /// `length` bytes of the file from `offset`. The engine checks the pin when it opens the file and again
        /// after the last byte; a difference ends the exchange with `sourceChanged`.
        case file(SourceFile, offset: Int64, length: Int64)
    }

    package var segments: [Segment]
    package var length: Int64
    /// Whether the last bytes are held back until `.sendRest`, so that "the body is out" is on disk before it is true.
    /// With an empty body the whole request is held back.
    package var holdsLastBytes: Bool

    package init(segments: [Segment], length: Int64, holdsLastBytes: Bool) {
        self.segments = segments
        self.length = length
        self.holdsLastBytes = holdsLastBytes
    }
}

/// Where a response body goes.
package enum SinkPlan: Equatable, Sendable {
    /// Kept in memory up to `limit` bytes; the rest is read and dropped.
    case memory(limit: Int)
    /// Written to a partial file when `DownloadJudge` accepts the head; else read with a small cap and dropped.
    indirect case partial(PartialPlan)

    /// The body goes to another partial file.
    package mutating func write(to path: String) {
        guard case .partial(var partial) = self else { return }
        partial.path = path
        self = .partial(partial)
    }

    /// Whether somebody reads the file while it grows.
    package var isFollowed: Bool {
        switch self {
        case .memory: false
        case .partial(let partial): partial.isFollowed
        }
    }
}

/// How a download's body meets its partial file.
package struct PartialPlan: Equatable, Sendable {
    package var path: String
    /// What is asked of the server and expected of its answer; `nil` asks for the whole from byte 0.
    package var resume: ResumePoint?
    /// Digests to compute while streaming, where the bytes come from byte 0 in one go.
    package var digests: Set<Digest.Algorithm>
    /// After how many bytes the file is synced and `.checkpoint` sent.
    package var checkpointInterval: Int64
    /// Whether a small body may stay in memory until it is placed (`ExchangeOutcome.Disposition.held`).
    package var mayBeHeld: Bool
    /// How many connections may fetch it at once; `nil` finds out how many help.
    package var segments: Int? = 1
    /// Where else connections beyond the first may go.
    package var mirrors = MirrorPlan()
    /// The part of the remote file that is the whole for everybody else.
    package var range: FilePart?
    /// The date of the file that is there: an older one, or the same, is not wanted.
    package var unchangedSince: WallTime?
    /// The length of the file that is there: one that is as long is not wanted.
    package var unchangedLength: Int64?
    /// Whether somebody reads the file while it grows.
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

/// Other places of the same file, for further connections of a download.
package struct MirrorPlan: Equatable, Sendable {
    /// One place, and what is sent there.
    package struct Place: Equatable, Sendable {
        package var url: String
        package var headers: [HeaderField]
        /// Whether it has the origin of the transfer's own URL, which gets to see who asks.
        package var isAtHome: Bool

        package init(url: String, headers: [HeaderField], isAtHome: Bool) {
            self.url = url
            self.headers = headers
            self.isAtHome = isAtHome
        }
    }

    package var places: [Place]
    /// Whether a digest shows in the end that all is of one version. Then another tag is no other version, and nothing
    /// needs to be compared where two responses meet.
    package var isProvenByDigest: Bool

    package init(places: [Place] = [], isProvenByDigest: Bool = false) {
        self.places = places
        self.isProvenByDigest = isProvenByDigest
    }
}

/// From where, and under which guarantee, a download goes on.
package struct ResumePoint: Equatable, Sendable {
    /// Bytes of the partial file that are kept if the overlap agrees.
    package var length: Int64
    /// How many of those bytes are asked for again and compared with the file. The request says `bytes=(length - overlap)-`.
    package var overlap: Int64
    package var validators: Validators
    /// Where the first hole of the partial file ends; `nil` when nothing is there beyond `length`.
    package var end: Int64?
    /// All that the partial file holds, where it has holes. Nothing of it is cut off then.
    package var map: SegmentMap?
    /// Whether another place is asked than the one that told the version: then an answer proves by its tag, if one is known, and by its
    /// length that it has the same.
    package var isElsewhere = false
    /// Whether the first response was made when its validators could not tell versions apart yet. A part must repeat them, and be made
    /// when they can.
    package var mustBeSettled = false
    /// The age of what another program left: the answer must vouch for it by its date (`ContinuationRule`). `nil` where something else does.
    package var age: FileAge?

    package init(length: Int64, overlap: Int64, validators: Validators) {
        self.length = length
        self.overlap = overlap
        self.validators = validators
    }

    /// The first byte asked for.
    package var requestedStart: Int64 { length - overlap }

    /// How many bytes are there.
    package var held: Int64 { map?.count ?? length }
}

/// Which connections may carry an exchange.
package enum ConnectionUse: Equatable, Sendable {
    /// Any, with others beside it where the protocol can.
    case any
    /// One that carries nothing else meanwhile; it may have carried others before.
    case undivided
    /// One that has carried nothing before.
    case unused
}
