/// What can be done to transfers that exist.
package enum ControlVerb: Int, Equatable, Sendable {
    /// Stop at a safe byte until resumed.
    case pause = 0
    /// Go on after a pause.
    case resume = 1
    /// End for good; the partial file is deleted.
    case cancel = 2
    /// Start a failed or cancelled transfer again, or a waiting one at once: its date and its hours count no more. One that other
    /// conditions keep is refused, since trying again does not change them.
    case retry = 3
    /// Forget ended transfers; a live one is refused.
    case remove = 4
}

/// Which transfers of a session are meant.
package enum TransferSelection: Equatable, Sendable {
    /// These.
    case ids([TransferID])
    /// All of one group.
    case group(String)
    /// All of the session.
    case all
}

/// One answer for each submitted transfer, in order.
package enum SubmissionAnswer: Equatable, Sendable {
    /// It is on disk.
    case accepted(TransferID)
    /// Its key was taken and the policy is `keep`: this is the transfer that is there.
    case existing(TransferID)
    /// It cannot be accepted.
    case refused(TransferFailure)
}

/// What a control command did.
package struct ControlAnswer: Equatable, Sendable {
    /// How many transfers it changed.
    package var changed: Int
    /// Those named by id that it could not change, and why.
    package var refusals: [Refusal]

    /// One transfer that was not changed.
    package struct Refusal: Equatable, Sendable {
        /// The transfer.
        package var id: TransferID
        /// Why.
        package var failure: TransferFailure

        /// Pairs a transfer with the reason.
        package init(id: TransferID, failure: TransferFailure) {
            self.id = id
            self.failure = failure
        }
    }

    /// Reports what was done.
    package init(changed: Int, refusals: [Refusal] = []) {
        self.changed = changed
        self.refusals = refusals
    }
}

/// A page of transfers in order of submission.
package struct ListQuery: Equatable, Sendable {
    /// Which.
    package var selection: TransferSelection
    /// Only those that have (true) or have not (false) ended; `nil` for both.
    package var ended: Bool?
    /// Only the one that this key protects from being submitted twice; `nil` for any.
    package var key: String?
    /// Only those submitted after the transfer with this sequence number; 0 from the start.
    package var afterSequence: Int64
    /// At most this many.
    package var limit: Int
    /// Whether the answer tells how fast the whole session is, which takes a look at everything that runs.
    package var wantsRate: Bool

    /// Asks for a page.
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
    /// In order of submission.
    package var transfers: [TransferSnapshot]
    /// Whether more follow after the last one.
    package var hasMore: Bool
    /// How many transfers of the whole session are in each state.
    package var totals: SessionTotals
    /// Bytes a second of everything that runs; 0 when that was not asked for.
    package var rate: Int64

    /// Takes a page.
    package init(transfers: [TransferSnapshot], hasMore: Bool, totals: SessionTotals, rate: Int64 = 0) {
        self.transfers = transfers
        self.hasMore = hasMore
        self.totals = totals
        self.rate = rate
    }
}

/// How many transfers are in each state.
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
    /// How often the transfer restarted from byte 0.
    package var restarts: Int
    /// The sources of a download and what came from each, if there are several.
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
