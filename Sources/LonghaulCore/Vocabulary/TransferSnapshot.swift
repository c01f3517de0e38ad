/// What a client sees of a transfer at one moment. It holds no secret: user names, passwords, tokens and
/// query strings are removed from `url`.
public struct TransferSnapshot: Equatable, Identifiable, Sendable {
    /// Which way the bytes go.
    public enum Direction: Int, Equatable, Sendable {
        /// To a file here.
        case download = 0
        /// From files here.
        case upload = 1
        /// Neither: a small request.
        case request = 2
    }

    /// The transfer.
    public var id: TransferID
    /// Order of submission in its session.
    public var sequence: Int64
    /// The app's own name for it.
    public var key: String?
    /// Its group; empty for none.
    public var group: String
    /// Which way the bytes go.
    public var direction: Direction
    /// The method and, without secrets, the URL.
    public var method: String
    /// The URL without user, password, query and fragment.
    public var url: String
    /// The file's base name, or the URL's last segment.
    public var name: String
    /// The finished file, the partial file's future place, or the source.
    public var path: String?
    /// Where it is in its life.
    public var state: TransferState
    /// Which limit keeps it waiting for its turn; only when `state` waits for its turn.
    public var turnLimit: TurnLimit?
    /// The number of that limit; `nil` for a held host (`Retry-After`).
    public var turnLimitCount: Int?
    /// Its priority.
    public var priority: Int
    /// Bytes moved and safe, live while running.
    public var bytesDone: Int64
    /// Bytes to move, once known.
    public var bytesTotal: Int64?
    /// Bytes a second over the last seconds; 0 when it does not run.
    public var rate: Int64
    /// Attempts begun.
    public var attempts: Int
    /// When it was submitted.
    public var createdAt: WallTime
    /// When its first attempt began.
    public var startedAt: WallTime?
    /// When it ended.
    public var endedAt: WallTime?
    /// The status of the final response, when one is kept.
    public var status: Int?
    /// The transfer whose end it waits for.
    public var predecessor: TransferID?
    /// Whether it begins after any end of that one, and not after its success alone.
    public var followsFailure = false
    /// Times that it lost what it had and began again from byte 0.
    package var beginningsAnew = 0
    /// The reason for the last of these.
    package var beganAnewBecause: BeginningAnew?
    /// Whether it moves bytes that would have to be moved again after a pause or a break.
    package var losesBytesWhenStopped = false
    /// How often in a row the failure that it waits after is tried again; `nil` if it waits for
    /// something else.
    package var retriesAllowed: Int?
    /// Whether the file may be cut: its server neither announced a length nor marked the end, and no digest was known.
    public var isLengthUnverified = false

    /// Which limit keeps a transfer from its turn.
    public enum TurnLimit: Int, Equatable, Sendable {
        /// As many transfers run as the session allows.
        case total = 0
        /// As many run with its host as allowed.
        case host = 1
        /// As many run in its group as allowed.
        case group = 2
        /// Its host asked to be left alone (`Retry-After`), until the date that `state` names; `retry` tries it at once.
        case heldHost = 3
    }

    /// Takes every value.
    package init(
        id: TransferID, sequence: Int64, key: String?, group: String, direction: Direction, method: String,
        url: String, name: String, path: String?, state: TransferState, turnLimit: TurnLimit?, priority: Int,
        bytesDone: Int64, bytesTotal: Int64?, rate: Int64, attempts: Int, createdAt: WallTime,
        startedAt: WallTime?, endedAt: WallTime?, status: Int?
    ) {
        self.id = id
        self.sequence = sequence
        self.key = key
        self.group = group
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
    /// How much is done, from 0 to 1: what a progress bar shows. `nil` while the length is not known.
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

/// One line of a transfer's history.
public struct HistoryEntry: Equatable, Sendable {
    /// Numbers rise by one within a session.
    public var number: Int64
    /// When it happened.
    public var at: WallTime
    /// A stable word: `submitted`, `started`, `waiting`, `awaitingResponse`, `paused`, `resumed`, `retried`, `succeeded`, `failed`, `cancelled`, `restarted`, `ownerLost`, `heads`.
    public var event: String
    /// What there is to say about it, without secrets.
    public var detail: String
    /// Bytes that were safe at that time.
    public var bytesDone: Int64

    /// Describes what happened.
    package init(number: Int64, at: WallTime, event: String, detail: String, bytesDone: Int64) {
        self.number = number
        self.at = at
        self.event = event
        self.detail = detail
        self.bytesDone = bytesDone
    }
}
