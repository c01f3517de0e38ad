/// How a transfer takes part in its session's queue.
public struct TransferOptions: Equatable, Sendable {
    /// What a submission does when its key is already in the session.
    public enum KeyConflict: Int, Equatable, Sendable {
        /// The transfer that is there is the answer. If it has failed or was cancelled, it starts again, unless
        /// its request may have been done (`outcomeUnknown`).
        case keep = 0
        /// The transfer that is there is cancelled and gives its key to the new one.
        case replace = 1
        /// Both stay; the new one is submitted without the key's protection.
        case append = 2
    }

    /// The app's own name for the transfer, not empty; at most one live or kept transfer of a session has it.
    public var key: String?
    /// What happens when the key is taken.
    public var keyConflict: KeyConflict
    /// The group that the transfer is counted, listed and limited with; empty for none.
    public var group: String
    /// Higher goes first; equal priorities go in order of submission.
    public var priority: Int
    /// Whether the user waits for the transfer (Apple: `networkServiceType = .responsiveData`). It then starts at once, beyond
    /// the session's limits as long as these are the defaults, and counts as running. Set it for few transfers at a time: a
    /// command sets it for its first four.
    public var isAttended: Bool
    /// Not before this date (Apple: `earliestBeginDate`).
    public var earliestBeginDate: WallTime?
    /// A transfer of the same session that must have succeeded before this one begins; if it fails or is cancelled, this one
    /// fails with `predecessorFailed`. One that has succeeded already is waited for no more.
    public var predecessor: TransferID?
    /// Whether this one begins after the end of its predecessor whatever that end is.
    public var followsFailure: Bool
    /// The whole time the transfer may take, waits included (Apple: `timeoutIntervalForResource`), from its submission or
    /// from `earliestBeginDate` on, whichever is later. Default 7 days.
    public var timeoutIntervalForResource: Duration
    /// How long the transfer may run or retry without a single byte before it fails with `noProgress`; `nil` for any time.
    public var progressTimeout: Duration?
    /// How often a temporary failure is tried again without progress. The default, 10, lasts for some seven minutes. With 0 the
    /// transfer does not wait for a network either.
    public var retryLimit: Int
    /// How often a host that does not exist is tried again, if that is less than `retryLimit`;
    /// `nil` for no difference.
    package var unknownHostRetryLimit: Int?
    /// Bytes a second at most; `nil` for no limit.
    public var rateLimit: Int64?
    /// Over how many connections a download fetches its file at the most, each of them a range of it. `nil`, the default, finds
    /// out how many make it faster; 1 never uses more than one. It takes a server that can send ranges and says which version
    /// of the file they belong to, and a file of some megabytes.
    public var segments: Int?
    /// Other URLs of the same file (downloads). One is asked where those before it fail, and where several connections help some of
    /// them go there. What it has is joined with what there is only where both are proved to be of one version: by a digest
    /// of the whole or of its pieces, or by the same strong entity-tag, and by the length; else it replaces the whole, when the
    /// others have failed. Secret header fields, credentials and client certificates stay with the origin of the transfer's URL.
    public var mirrors: [String]
    /// The value of `Idempotency-Key`; makes a non-idempotent request safe to send again.
    public var idempotencyKey: String?
    /// How many bytes of a response are kept (uploads and requests).
    public var responseLimit: Int
    /// The name of the credential that the transfer uses instead of secrets in its header fields. The credential is asked for when
    /// it is needed, and goes to the origin of the transfer's URL and to no other.
    public var credential: CredentialName?
    /// What that credential stands for; without a name it means nothing.
    public var credentialKind: CredentialKind
    /// Whether the session's app is started when this transfer has ended, and not only when all of them have. It takes a
    /// ``WakeRegistration``.
    public var wakesAppWhenFinished: Bool
    /// Under which conditions it may run; the session's own rules hold as well.
    public var conditions: ConditionRules
    /// Whether the session's notifications cover this transfer. The session needs ``NotificationSettings`` for that.
    public var notifications: NotificationWish
    /// A transfer that asks for the same, has not ended and was submitted before this date is the answer instead of a second
    /// one; `nil` for none. It is heeded at the submission and not kept, and means nothing beside a key.
    package var joinsEqualBefore: WallTime?
    /// With `keep`, a transfer that has failed or was cancelled starts again only if it ended before this time; `nil` for any
    /// time. A submission that is sent twice, since its answer was lost, does not restart its own transfer. It is used at the
    /// submission and not kept.
    package var restartsEndedBefore: WallTime?

    /// The defaults.
    public init() {
        key = nil
        keyConflict = .keep
        group = ""
        priority = 0
        isAttended = false
        earliestBeginDate = nil
        predecessor = nil
        followsFailure = false
        timeoutIntervalForResource = .seconds(604_800)
        progressTimeout = nil
        retryLimit = 10
        unknownHostRetryLimit = nil
        rateLimit = nil
        segments = nil
        mirrors = []
        idempotencyKey = nil
        responseLimit = 1 << 20
        credential = nil
        credentialKind = .authorization
        wakesAppWhenFinished = false
        conditions = ConditionRules()
        notifications = .bySession
        joinsEqualBefore = nil
        restartsEndedBefore = nil
    }

    /// How many transfers a command, or the ``TransferSession/data(for:)`` calls of a process that wait at one time, have
    /// start beyond the limits. Fewer than the six that run with one host by default, so that a full host gets less than
    /// twice the connections for a command; a longer list is about its last file, and queues.
    package static let mostAttended = 4

    /// When the transfer's time is over, if it is asked for at `now`.
    func deadline(from now: WallTime) -> WallTime {
        max(now, earliestBeginDate ?? now) + timeoutIntervalForResource
    }
}

/// When HTTP/3 is used. It takes a libcurl that has it; any other one goes on with HTTP/2.
///
/// Where it is used, HTTP/2 and HTTP/1.1 come to its aid within the same attempt when the way to the server takes no UDP.
public enum HTTP3Use: Int, Equatable, Sendable {
    /// Not at all: for the same bytes it takes several times the processor time of HTTP/2.
    case never = 0
    /// On every new connection, whether the server is known to have it or not (`--http3`).
    case tried = 1
    /// With servers that have announced it (`Alt-Svc`, RFC 7838) in an earlier transfer of the session (`--alt-svc`).
    case announced = 2
}

/// How connections are made, in curl's words.
public struct NetworkOptions: Equatable, Sendable {
    /// Proxy URL (`--proxy`); empty uses the environment of the process that moves the bytes, if any: the service's, or the
    /// app's own. `system` takes the desktop's settings, `pac+` with a URL or an absolute path behind it what a proxy script names.
    public var proxy: String
    /// Hosts that bypass the proxy (`--noproxy`).
    public var noProxy: String
    /// File with the certificate authorities to trust (`--cacert`); empty for the system's.
    public var caFile: String
    /// Whether a server's certificate goes unchecked (`--insecure`).
    public var allowsUntrustedServer: Bool
    /// How long making a connection may take (`--connect-timeout`).
    public var connectTimeout: Duration
    /// How long a server may send or accept nothing in the middle of a body (`--stall-timeout`; Apple:
    /// `timeoutIntervalForRequest`). Default 5 minutes; zero for no limit.
    public var timeoutIntervalForRequest: Duration
    /// How long a server may take to respond, from the last byte of the request to the first byte of the response
    /// (`--response-timeout`). Provisional responses (1xx) restart it. Default 30 minutes; zero for no limit.
    public var timeoutIntervalForResponse: Duration
    /// The `User-Agent` field; empty for Longhaul's own.
    public var userAgent: String
    /// How many redirects are followed.
    public var redirectLimit: Int
    /// When HTTP/3 is used with `https`.
    public var http3: HTTP3Use
    /// How a user name and a password reach the server.
    public var authentication: HTTPAuthentication
    /// What is shown to servers that want to see a certificate; only the origin of the transfer's URL gets to see it.
    public var clientCertificate: ClientCertificate?
    /// The public keys that a server may have, whoever vouches for it: `sha256//BASE64`, several with `;` between them, or the absolute path
    /// of a key in PEM form (`--pinnedpubkey`); empty for any.
    public var pinnedPublicKeys: String
    /// Keys that somebody has accepted for servers that nobody vouches for. See `Transfer.trust(_:)`.
    public var trustedKeys: [TrustedKey]
    /// The absolute path of a file with cookies in Netscape's form, which is read and not written (`--cookie`); empty for none.
    public var cookieFile: String
    /// The absolute path of such a file in which cookies are kept (`--cookie-jar`). What is in it is used; empty for none.
    public var cookieJar: String
    /// Whether cookies are kept with the session, for all its transfers that say so.
    public var keepsCookiesWithSession: Bool
    /// File with the certificate authorities that an HTTPS proxy is trusted by (`--proxy-cacert`); empty for the system's.
    public var proxyCAFile: String
    /// Whether the history of the transfer has the heads of its requests and responses, as `heads` (`--verbose`); what is secret in
    /// them is left out.
    public var keepsHeads: Bool
    /// The environment of whoever asks, instead of that of the process that moves the bytes.
    package var variables: ProxyVariables?

    /// The defaults.
    public init() {
        proxy = ""
        noProxy = ""
        caFile = ""
        allowsUntrustedServer = false
        connectTimeout = .seconds(30)
        timeoutIntervalForRequest = .seconds(300)
        timeoutIntervalForResponse = .seconds(1_800)
        userAgent = ""
        redirectLimit = 20
        http3 = .never
        authentication = .preemptive
        clientCertificate = nil
        pinnedPublicKeys = ""
        trustedKeys = []
        cookieFile = ""
        cookieJar = ""
        keepsCookiesWithSession = false
        proxyCAFile = ""
        keepsHeads = false
        variables = nil
    }

    /// The same for servers that do not get to see who asks.
    package var withoutIdentity: NetworkOptions {
        var options = self
        options.clientCertificate = nil
        return options
    }
}
