/// A command for existing transfers.
package enum ControlVerb: Int, Equatable, Sendable {
    /// Stop at the last synced offset until resumed.
    case pause = 0
    /// Resume after a pause.
    case resume = 1
    /// End permanently, and delete the partial file.
    case cancel = 2
    /// Restart a failed or cancelled transfer, or start a waiting transfer at once, without its start time and allowed
    /// time window. A transfer that waits for another condition is refused, because a retry does not change the
    /// condition.
    case retry = 3
    /// Remove ended transfers. An active transfer is refused.
    case remove = 4
}

/// The transfers of a session that a command applies to.
package enum TransferSelection: Equatable, Sendable {
    case ids([TransferID])
    /// All transfers of a group.
    case group(String)
    /// All transfers of the session.
    case all
}

/// The result for each submitted transfer, in order.
package enum SubmissionAnswer: Equatable, Sendable {
    /// The transfer is on disk.
    case accepted(TransferID)
    /// The key belongs to this existing transfer, and the policy is `keep`.
    case existing(TransferID)
    case refused(TransferFailure)
}

/// The result of a control command.
package struct ControlAnswer: Equatable, Sendable {
    /// The number of changed transfers.
    package var changed: Int
    /// The transfers named by ID that the command could not change, and why.
    package var refusals: [Refusal]

    /// A transfer that was not changed.
    package struct Refusal: Equatable, Sendable {
        package var id: TransferID
        package var failure: TransferFailure

        package init(id: TransferID, failure: TransferFailure) {
            self.id = id
            self.failure = failure
        }
    }

    package init(changed: Int, refusals: [Refusal] = []) {
        self.changed = changed
        self.refusals = refusals
    }
}

/// A query for a page of transfers in order of submission.
package struct ListQuery: Equatable, Sendable {
    package var selection: TransferSelection
    /// Only transfers that have ended (true) or not (false); `nil` for both.
    package var ended: Bool?
    /// Only the transfer with this key, which protects it from a second submission; `nil` for any.
    package var key: String?
    /// Only transfers submitted after the one with this sequence number; 0 from the start.
    package var afterSequence: Int64
    /// The maximum number of transfers.
    package var limit: Int
    /// Whether to return the session's total rate, which requires a look at every running transfer.
    package var wantsRate: Bool

    package init(
        selection: TransferSelection = .all, ended: Bool? = nil, key: String? = nil, afterSequence: Int64 = 0,
        limit: Int = 1_000, wantsRate: Bool = false
    ) {
        self.selection = selection
        self.ended = ended
        self.key = key
        self.afterSequence = afterSequence
        self.limit = limit
        self.wantsRate = wantsRate
    }
}

/// A page of transfers, with the counts of the whole session.
package struct ListPage: Equatable, Sendable {
    /// The transfers in order of submission.
    package var transfers: [TransferSnapshot]
    /// Whether more transfers follow.
    package var hasMore: Bool
    /// The number of transfers of the whole session in each state.
    package var totals: SessionTotals
    /// The session's total rate in bytes per second; 0 if it was not requested.
    package var rate: Int64

    package init(transfers: [TransferSnapshot], hasMore: Bool, totals: SessionTotals, rate: Int64 = 0) {
        self.transfers = transfers
        self.hasMore = hasMore
        self.totals = totals
        self.rate = rate
    }
}

/// The number of transfers in each state.
package struct SessionTotals: Equatable, Sendable {
    package var waiting = 0
    /// Running or awaiting a response.
    package var running = 0
    package var paused = 0
    package var succeeded = 0
    package var failed = 0
    package var cancelled = 0

    package init() {}
}

/// All details of one transfer.
public struct TransferDetail: Equatable, Sendable {
    /// The transfer at the time of the call.
    public var snapshot: TransferSnapshot
    /// The options in force. User names, passwords and query strings are removed from `mirrors`.
    public var options: TransferOptions
    /// The request headers, with `(secret)` in place of each secret value.
    public var headers: [HeaderField]
    /// The stored response; `nil` for a download, and before a response came.
    public var response: Response?
    /// The last failure, even if the transfer recovered from it.
    public var lastFailure: TransferFailure?
    /// Whether the transfer runs under any conditions; see `Transfer.ignoreConditions(_:)`.
    public var ignoresConditions: Bool
    /// The number of restarts from byte 0.
    package var restarts: Int
    /// The sources of a download and the bytes from each, if there are several.
    package var mirrors: [MirrorReport] = []
    /// Why a failed transfer is not retried automatically.
    package var notRetriedBecause: RetryEnd?
    /// How many connections a running download uses, if it could use several.
    package var connections: ConnectionReport?
    /// Bytes of an earlier version that a download keeps until the new version is complete.
    package var bytesKept: Int64 = 0

    package init(
        snapshot: TransferSnapshot, headers: [HeaderField], response: Response?,
        lastFailure: TransferFailure?, restarts: Int, options: TransferOptions = TransferOptions(),
        ignoresConditions: Bool = false
    ) {
        self.options = options
        self.ignoresConditions = ignoresConditions
        self.snapshot = snapshot
        self.headers = headers
        self.response = response
        self.lastFailure = lastFailure
        self.restarts = restarts
    }
}
