/// How a transfer takes part in its session's queue.
public struct TransferOptions: Equatable, Sendable {
    /// The treatment of a submission whose key is already in the session.
    @nonexhaustive public enum KeyConflict: Equatable, Sendable {
        /// The submission joins the existing transfer. A failed or cancelled transfer restarts, unless its
        /// request may have been carried out (`outcomeUnknown`).
        case keep
        /// Longhaul cancels the existing transfer and gives its key to the new transfer.
        case replace
        /// Both transfers stay. The key does not protect the new transfer from being submitted twice.
        case append
    }

    /// The app's name for the transfer. It must not be empty, and at most one transfer of a session can have
    /// it.
    package var key: String?
    /// The treatment of a submission whose key is already in the session.
    public var keyConflict: KeyConflict
    /// The group for listing, counting, and limiting the transfer.
    public var group: String? { didSet { group = group?.nonEmpty } }
    /// Transfers with a higher priority start first. Equal priorities start in the order of submission.
    public var priority: Int
    /// Whether the user waits for the transfer (Apple: `networkServiceType = .responsiveData`). The transfer
    /// starts at once, even beyond the default limits of the session. Set it for few transfers at a time.
    public var isAttended: Bool
    /// The start time (Apple: `earliestBeginDate`); `nil` starts at once.
    public var earliestBeginDate: WallTime?
    /// A transfer of the same session that must succeed before this transfer starts. If the predecessor fails
    /// or is cancelled, this transfer fails with `predecessorFailed`.
    public var predecessor: TransferID?
    /// Whether this transfer starts even if its predecessor fails or is cancelled.
    public var followsFailure: Bool
    /// The total time for the transfer, including waits (Apple: `timeoutIntervalForResource`). It starts at
    /// the submission or at `earliestBeginDate`, whichever is later. Default: 7 days.
    public var timeoutIntervalForResource: Duration
    /// How long the transfer may run or retry without receiving or sending a byte before it fails with
    /// `noProgress`; `nil` for no limit.
    public var progressTimeout: Duration?
    /// The number of retries after temporary failures without progress. The default, 10, lasts about seven
    /// minutes. With 0, the transfer does not wait for a network either.
    public var retryLimit: Int
    /// How often a host that does not exist is tried again, if that is less than `retryLimit`;
    /// `nil` for no difference.
    package var unknownHostRetryLimit: Int?
    /// The limit in bytes per second, such as `2 << 20`; `nil` for no limit. Convert an `Int` with `Int64(number)`.
    public var rateLimit: Int64?
    /// The maximum number of connections for one download. `nil`, the default, uses more connections as long
    /// as they make the download faster. Several connections require a server that sends ranges and
    /// identifies the version of the file.
    public var segments: Int?
    /// Other URLs of the same file (downloads). Longhaul uses a mirror if the sources before it fail, or
    /// together with them over several connections.
    ///
    /// Bytes of two sources are combined only if a digest, or a strong entity tag and the length, proves that
    /// they have the same version. Secret headers, credentials, and client certificates stay with the origin
    /// of the transfer's URL.
    public var mirrors: [String]
    /// The key of the `Idempotency-Key` header, in printable ASCII. It makes a non-idempotent request safe to retry.
    /// The header's value is a structured-field string: the key `a` is sent as `"a"`.
    public var idempotencyKey: String?
    /// The maximum number of response bytes to keep (uploads and requests). Default: 1 MiB.
    public var responseLimit: Int
    /// The name of the credential that the transfer uses instead of secret headers: 1 to 128 letters, digits,
    /// and `.-_+@`. Longhaul requests the credential when the transfer needs it, and sends it only to the
    /// origin of the transfer's URL.
    public var credential: String?
    /// Whether the credential is a URL for the transfer, such as a signed URL that expires, instead of
    /// headers.
    public var credentialIsURL: Bool
    /// Whether Longhaul starts the session's app when this transfer ends, instead of when all transfers have
    /// ended. Requires a ``WakeRegistration``.
    public var wakesAppWhenFinished: Bool
    /// The conditions under which the transfer may run. The session's own rules apply as well.
    public var conditions: ConditionRules
    package var notifications: NotificationPreference
    /// Whether the session's notifications cover the transfer; `nil` for the session's default. The session needs
    /// ``NotificationSettings``.
    public var showsNotifications: Bool? {
        get {
            switch notifications {
            case .bySession: nil
            case .never: false
            case .always: true
            }
        }
        set { notifications = newValue.map { $0 ? .always : .never } ?? .bySession }
    }
    /// An equal transfer that has not ended and was submitted before this time is joined instead of submitting a second one; `nil`
    /// for none. Used at the submission and not stored; no effect together with a key.
    package var joinsEqualBefore: WallTime?
    /// With `keep`, a failed or cancelled transfer restarts only if it ended before this time; `nil` for any time. A submission
    /// that is repeated because its answer was lost does not restart its own transfer. Used at the submission and not stored.
    package var restartsEndedBefore: WallTime?

    /// The defaults.
    public init() {
        key = nil
        keyConflict = .keep
        group = nil
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
        credentialIsURL = false
        wakesAppWhenFinished = false
        conditions = ConditionRules()
        notifications = .bySession
        joinsEqualBefore = nil
        restartsEndedBefore = nil
    }

    /// Initializes the effective options of a transfer, without the secrets that URLs may contain.
    package init(of record: TransferRecord) {
        self = record.spec.options
        (priority, rateLimit) = (record.priority, record.rateLimit)
        mirrors = mirrors.map { (try? TransferURL(parsing: $0))?.redacted ?? "" }
    }

    /// How many transfers of a command, or of the ``TransferSession/data(for:)`` calls that wait at the same time in a process,
    /// start beyond the limits. Fewer than the default of six per host, so that a full host gets less than twice the connections
    /// for a command. In a longer list only the last file matters to the user, so it queues.
    package static let mostAttended = 4

    package var credentialName: CredentialName? {
        get { credential.flatMap(CredentialName.init) }
        set { credential = newValue?.description }
    }

    package var credentialKind: CredentialKind {
        get { credentialIsURL ? .url : .authorization }
        set { credentialIsURL = newValue == .url }
    }

    /// The group's name in the queue and the store: empty for none.
    package var groupName: String { group ?? "" }

    /// Returns the transfer's deadline if it is submitted at `now`.
    func deadline(from now: WallTime) -> WallTime {
        max(now, earliestBeginDate ?? now) + timeoutIntervalForResource
    }
}

extension NetworkOptions {
    /// When HTTP/3 is used. It requires a libcurl with HTTP/3; any other libcurl uses HTTP/2.
    ///
    /// If the network path carries no UDP, the same attempt falls back to HTTP/2 or HTTP/1.1.
    @nonexhaustive public enum HTTP3: Equatable, Sendable {
        /// Never: HTTP/3 takes several times the processor time of HTTP/2 for the same bytes.
        case never
        /// On every new connection, whether or not the server is known to support it (`--http3`).
        case tried
        /// With servers that announced it in an earlier transfer of the session (`Alt-Svc`, RFC 7838;
        /// `--alt-svc`).
        case announced
    }
}

package typealias HTTP3Use = NetworkOptions.HTTP3

/// How connections are made, in the terms of curl.
public struct NetworkOptions: Equatable, Sendable {
    /// The proxy URL (`--proxy`). `nil` uses the environment of the process that transfers the bytes: the
    /// service or the app. `system` uses the desktop's settings. `pac+` and a URL or an absolute path uses a
    /// proxy script.
    public var proxy: String? { didSet { proxy = proxy?.nonEmpty } }
    /// Hosts to connect to without the proxy (`--noproxy`).
    public var noProxy: String? { didSet { noProxy = noProxy?.nonEmpty } }
    /// A file with the certificate authorities to trust (`--cacert`); `nil` for those of the system.
    public var caFile: String? { didSet { caFile = caFile?.nonEmpty } }
    /// Whether to skip the check of the server's certificate (`--insecure`).
    public var allowsUntrustedServer: Bool
    /// The time limit for making a connection (`--connect-timeout`). Default: 30 seconds.
    public var connectTimeout: Duration
    /// How long a server may send or accept nothing in the middle of a body (`--stall-timeout`; Apple:
    /// `timeoutIntervalForRequest`). Default: 5 minutes; zero for no limit.
    public var timeoutIntervalForRequest: Duration
    /// How long a server may take to respond, from the last byte of the request to the first byte of the
    /// response (`--response-timeout`). Provisional responses (1xx) restart it. Default: 30 minutes; zero for
    /// no limit.
    public var timeoutIntervalForResponse: Duration
    /// The `User-Agent` header; `nil` for that of Longhaul.
    public var userAgent: String? { didSet { userAgent = userAgent?.nonEmpty } }
    /// The maximum number of redirects to follow. Default: 20.
    public var redirectLimit: Int
    /// When to use HTTP/3 with `https`.
    public var http3: HTTP3
    /// How to log in to the server.
    public var authentication: Authentication
    /// The certificate to present to servers that request one. Only the origin of the transfer's URL receives
    /// it.
    public var clientCertificate: ClientCertificate?
    /// The public keys that the server may have: `sha256//BASE64`, several separated by `;`, or the absolute
    /// path of a PEM file (`--pinnedpubkey`); `nil` for any key.
    public var pinnedPublicKeys: String? { didSet { pinnedPublicKeys = pinnedPublicKeys?.nonEmpty } }
    /// Public keys that the user accepted for servers with untrusted certificates: `sha256//BASE64` by
    /// origin, such as `https://nas.example:443`. See `Transfer.trust(_:)`.
    public var trustedKeys: [String: String]
    /// The absolute path of a Netscape cookie file to read (`--cookie`).
    public var cookieFile: String? { didSet { cookieFile = cookieFile?.nonEmpty } }
    /// The absolute path of a Netscape cookie file to read and update (`--cookie-jar`).
    public var cookieJar: String? { didSet { cookieJar = cookieJar?.nonEmpty } }
    /// Whether to keep cookies with the session and share them with its other transfers that set this.
    public var keepsCookiesWithSession: Bool
    /// A file with the certificate authorities to trust for an HTTPS proxy (`--proxy-cacert`); `nil` for
    /// those of the system.
    public var proxyCAFile: String? { didSet { proxyCAFile = proxyCAFile?.nonEmpty } }
    /// Whether to add the headers of requests and responses to the history, as `heads` (`--verbose`). Secret
    /// values are left out.
    package var keepsHeaders: Bool
    /// The proxy variables of the submitting process, instead of those of the process that transfers the
    /// bytes.
    package var variables: ProxyVariables?

    /// The defaults.
    public init() {
        proxy = nil
        noProxy = nil
        caFile = nil
        allowsUntrustedServer = false
        connectTimeout = .seconds(30)
        timeoutIntervalForRequest = .seconds(300)
        timeoutIntervalForResponse = .seconds(1_800)
        userAgent = nil
        redirectLimit = 20
        http3 = .never
        authentication = .preemptive
        clientCertificate = nil
        pinnedPublicKeys = nil
        trustedKeys = [:]
        cookieFile = nil
        cookieJar = nil
        keepsCookiesWithSession = false
        proxyCAFile = nil
        keepsHeaders = false
        variables = nil
    }

    /// The options without the client certificate, for other origins.
    package var withoutIdentity: NetworkOptions {
        var options = self
        options.clientCertificate = nil
        return options
    }
}
