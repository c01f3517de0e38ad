/// An end of a session's queue.
@nonexhaustive public enum QueuePosition: Equatable, Sendable {
    /// Before all other transfers that have not ended.
    case first
    /// After all other transfers that have not ended.
    case last

    /// Returns the priority that leads there, given the priorities of the other transfers that have not ended.
    package func priority(among others: some Sequence<Int>) -> Int {
        let limits = TransferAdjustment.priorities
        switch self {
        case .first: return others.max().map { min($0, limits.upperBound - 1) + 1 } ?? 0
        case .last: return others.min().map { max($0, limits.lowerBound + 1) - 1 } ?? 0
        }
    }
}

/// A change of one existing transfer. A property that is `nil` keeps its value.
package struct TransferAdjustment: Equatable, Sendable {
    /// The destination of a download.
    package struct Destination: Equatable, Sendable {
        /// The absolute path of an existing directory.
        package var directory: String
        /// Another name; `nil` keeps the current one.
        package var fileName: String?
        /// As in ``DownloadSpec/mountPoint``.
        package var mountPoint: String?

        package init(directory: String, fileName: String?) {
            self.directory = directory
            self.fileName = fileName
        }
    }

    /// The transfer that has to end first.
    package struct Predecessor: Equatable, Sendable {
        /// `nil` for none.
        package var id: TransferID?
        /// As in ``TransferOptions/followsFailure``.
        package var followsFailure: Bool

        package init(_ id: TransferID?, followsFailure: Bool = false) {
            self.id = id
            self.followsFailure = followsFailure
        }
    }

    /// Bytes per second; 0 for no limit.
    package var rateLimit: Int64?
    /// Whether the transfer runs under any conditions, at any time, and beyond the data budget.
    package var ignoresConditions: Bool?
    package var priority: Int?
    /// The start time. A past one lets the transfer start; ``noBeginDate`` removes it.
    package var earliestBeginDate: WallTime?
    package var retryLimit: Int?
    /// The time limit, from the change or from the start time, whichever is later.
    package var timeoutIntervalForResource: Duration?
    /// How long the transfer may run or retry without a new byte; zero for no limit.
    package var progressTimeout: Duration?
    package var destination: Destination?
    /// Another group; empty for none.
    package var group: String?
    /// Whether the user now waits for the transfer (`TransferOptions.isAttended`).
    package var makesAttended = false
    /// Whether the transfer is also retried. If that is refused, nothing changes.
    package var retries = false
    /// The conditions of the transfer, which replace the earlier ones.
    package var conditions: ConditionRules?
    package var predecessor: Predecessor?
    /// The maximum number of connections of a download, from its next attempt on; 0 for as many as help.
    package var segments: Int?
    package var notifications: NotificationPreference?
    package var wakesAppWhenFinished: Bool?

    package init(rateLimit: Int64? = nil, ignoresConditions: Bool? = nil, priority: Int? = nil) {
        self.rateLimit = rateLimit
        self.ignoresConditions = ignoresConditions
        self.priority = priority
    }

    /// The valid priorities.
    package static let priorities = -1_000_000...1_000_000
    /// The value that removes the start time.
    package static let noBeginDate = WallTime(microseconds: 0)

    /// Why the change is invalid; `nil` if it is valid.
    package var refusal: TransferFailure? {
        if let priority, !Self.priorities.contains(priority) {
            return TransferFailure(.invalidArgument, "A priority must be a number from -1000000 to 1000000.")
        }
        if let rateLimit, rateLimit < 0 {
            return TransferFailure(.invalidArgument, "A rate must not be negative; 0 removes the limit.")
        }
        if let retryLimit, retryLimit < 0 {
            return TransferFailure(.invalidArgument, "The number of retries must not be negative.")
        }
        if let timeoutIntervalForResource, timeoutIntervalForResource <= .zero {
            return TransferFailure(
                .invalidArgument, "The time limit of a transfer must be positive.")
        }
        if let segments, !(0...SegmentPolicy.mostChosen).contains(segments) {
            return TransferFailure(
                .invalidArgument, "The number of connections must be from 1 to \(SegmentPolicy.mostChosen).")
        }
        return conditions?.refusal
    }
}

extension TransferAdjustment {
    /// Initializes the difference between two values of a transfer's options. Fails if the difference includes an option that is
    /// fixed at the submission.
    package init(from old: TransferOptions, to new: TransferOptions) throws(TransferFailure) {
        self.init()
        var reached = old
        func take<Value: Equatable>(_ option: WritableKeyPath<TransferOptions, Value>) -> Value? {
            guard new[keyPath: option] != old[keyPath: option] else { return nil }
            reached[keyPath: option] = new[keyPath: option]
            return new[keyPath: option]
        }
        group = take(\.group).map { $0 ?? "" }
        priority = take(\.priority)
        earliestBeginDate = take(\.earliestBeginDate).map { $0 ?? Self.noBeginDate }
        timeoutIntervalForResource = take(\.timeoutIntervalForResource)
        progressTimeout = take(\.progressTimeout).map { $0 ?? .zero }
        retryLimit = take(\.retryLimit)
        rateLimit = take(\.rateLimit).map { $0 ?? 0 }
        segments = take(\.segments).map { $0 ?? 0 }
        conditions = take(\.conditions)
        notifications = take(\.notifications)
        wakesAppWhenFinished = take(\.wakesAppWhenFinished)
        if take(\.predecessor) != nil || take(\.followsFailure) != nil {
            predecessor = Predecessor(new.predecessor, followsFailure: new.followsFailure)
            (reached.predecessor, reached.followsFailure) = (new.predecessor, new.followsFailure)
        }
        if new.isAttended { makesAttended = take(\.isAttended) ?? false }
        guard reached != new else { return }
        let fixed: [(name: String, isKept: Bool)] = [
            ("key", new.key == old.key), ("keyConflict", new.keyConflict == old.keyConflict),
            ("isAttended", new.isAttended == reached.isAttended), ("mirrors", new.mirrors == old.mirrors),
            ("idempotencyKey", new.idempotencyKey == old.idempotencyKey),
            ("responseLimit", new.responseLimit == old.responseLimit), ("credential", new.credential == old.credential),
            ("credentialIsURL", new.credentialIsURL == old.credentialIsURL),
        ]
        let names = fixed.filter { !$0.isKept }.map(\.name).joined(separator: ", ")
        throw TransferFailure(
            .invalidArgument, "These options cannot change after the submission: \(names). Nothing was changed.")
    }
}
