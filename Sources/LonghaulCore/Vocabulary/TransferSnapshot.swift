/// The state and progress of a transfer at one moment. It holds no secrets: user names, passwords, and queries are not part of `url`.
public struct TransferSnapshot: Equatable, Identifiable, Sendable {
    /// The kind of transfer.
    @nonexhaustive public enum Direction: Equatable, Sendable {
        /// A response body to a local file.
        case download
        /// Local files to a server.
        case upload
        /// A small request without a file.
        case request
    }

    /// The identifier of the transfer.
    public var id: TransferID
    /// The order of submission in the session.
    package var sequence: Int64
    /// The app's name for the transfer.
    public var key: String?
    /// The group.
    public var group: String? { didSet { group = group?.nonEmpty } }
    /// The kind of transfer.
    public var direction: Direction
    /// The HTTP method.
    package var method: String
    /// The URL without user name, password, query and fragment.
    public var url: String
    /// The file's base name, or the last path segment of the URL.
    public var name: String
    /// The destination of a download, or the source of an upload.
    public var path: String?
    /// The state of the transfer.
    public var state: TransferState
    /// The limit that the transfer waits for, with the reason `turn`.
    package var turnLimit: TurnLimit?
    /// The value of that limit; `nil` for a held host (`Retry-After`).
    package var turnLimitCount: Int?
    /// The priority.
    public var priority: Int
    /// Bytes transferred so far.
    public var bytesDone: Int64
    /// The length of the body. An upload's is known at the submission, a download's at its first response or from its Metalink.
    public var bytesTotal: Int64?
    /// Bytes per second over the last seconds; 0 unless the transfer is running.
    public var rate: Int64
    /// How many attempts have started.
    public var attempts: Int
    /// The time of the submission.
    public var createdAt: WallTime
    /// The start time of the first attempt.
    public var startedAt: WallTime?
    /// The time at which the transfer ended.
    public var endedAt: WallTime?
    /// The status code of the stored response.
    public var status: Int?
    /// The transfer that has to end first.
    package var predecessor: TransferID?
    /// Whether the transfer starts even if `predecessor` fails.
    package var followsFailure = false
    /// Times that it lost its bytes and restarted from byte 0.
    package var restartCounts = 0
    /// The reason for the last restart.
    package var restartReason: RestartReason?
    /// Whether a pause now would lose the bytes transferred so far.
    public var losesBytesWhenStopped = false
    /// The number of attempts that may still fail in a row after the failure that it waits after; `nil` if
    /// it waits for something else.
    package var attemptsLeft: Int?
    /// Whether a downloaded file may be truncated: the server sent no length and no end marker, and no digest was known.
    public var isLengthUnverified = false
    /// The URL of the result, without login and query: the resource that a request created, or the URL that responded after
    /// redirects; `nil` if that is `url`.
    package var resultURL: String?
    /// The mirror in use, without login and query; `nil` if the download uses `url`.
    package var mirrorURL: String?
    /// The source whose certificate was rejected before, without login and query.
    package var rejectedURL: String?

    /// A limit of the queue.
    package enum TurnLimit: Equatable, Sendable {
        /// The limit of all transfers.
        case total
        /// The limit of the host.
        case host
        /// The limit of the group.
        case group
        /// The host sent `Retry-After`; until the time in `state`, or a retry.
        case heldHost
    }

    package init(
        id: TransferID, sequence: Int64, key: String?, group: String?, direction: Direction, method: String,
        url: String, name: String, path: String?, state: TransferState, turnLimit: TurnLimit?, priority: Int,
        bytesDone: Int64, bytesTotal: Int64?, rate: Int64, attempts: Int, createdAt: WallTime,
        startedAt: WallTime?, endedAt: WallTime?, status: Int?
    ) {
        self.id = id
        self.sequence = sequence
        self.key = key
        self.group = group?.nonEmpty
        self.direction = direction
        self.method = method
        self.url = url
        self.name = name
        self.path = path
        self.state = state
        self.turnLimit = turnLimit
        self.priority = priority
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.rate = rate
        self.attempts = attempts
        self.createdAt = createdAt
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.status = status
    }
}

extension TransferSnapshot {
    /// The time that the rest takes at the present rate. `nil` unless the transfer is running and its length is known.
    /// `timeRemaining?.components.seconds` is the number of seconds.
    public var timeRemaining: Duration? { bytesTotal.flatMap { Self.timeRemaining(for: $0 - bytesDone, rate: rate) } }

    package static func timeRemaining(for bytes: Int64, rate: Int64) -> Duration? {
        rate > 0 ? .seconds(Double(max(0, bytes)) / Double(rate)) : nil
    }

    /// The fraction of the bytes that is done, from 0 to 1. `nil` while the length is unknown.
    public var fractionCompleted: Double? {
        if state == .succeeded { return 1 }
        guard let bytesTotal else { return nil }
        return bytesTotal > 0 ? min(max(Double(bytesDone) / Double(bytesTotal), 0), 1) : 0
    }
}

extension TransferSnapshot {
    /// The remark about a file whose length could not be verified.
    package static let lengthRemark = "length not verified: the server did not mark the end of the file"
}

/// One entry of a transfer's history.
public struct HistoryEntry: Equatable, Sendable {
    /// The number of the entry. Numbers increase within a session.
    package var number: Int64
    /// The time of the event.
    public var at: WallTime
    /// The event, a stable word: `submitted`, `started`, `waiting`, `awaitingResponse`, `paused`, `resumed`, `retried`,
    /// `succeeded`, `failed`, `cancelled`, `restarted`, `ownerLost`, `heads`.
    public var event: String
    /// Details in English, without secrets.
    public var detail: String
    /// Bytes transferred at that time.
    package var bytesDone: Int64

    package init(number: Int64, at: WallTime, event: String, detail: String, bytesDone: Int64) {
        self.number = number
        self.at = at
        self.event = event
        self.detail = detail
        self.bytesDone = bytesDone
    }
}
