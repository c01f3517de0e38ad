/// A filter for the transfers of a session. A property that is `nil` matches any transfer.
///
/// ```swift
/// let failed = try await session.snapshots(matching: .failed)
/// try await session.resumeAll(matching: TransferQuery(group: "films", states: [.paused]))
/// ```
///
/// Operations such as ``TransferSession/removeAll(matching:)`` apply to the transfers that match when the call starts. In
/// ``TransferSession/changes(matching:)``, a transfer that no longer matches is removed.
public struct TransferQuery: Equatable, Sendable {
    /// A state of transfers, without the details of `TransferState`.
    @nonexhaustive public enum State: Equatable, Sendable, CaseIterable {
        /// Waiting for any reason, for example for its turn or for a retry.
        case waiting
        /// Running, or waiting for the response.
        case running
        /// Paused until resumed.
        case paused
        /// Ended with success.
        case succeeded
        /// Ended with a failure.
        case failed
        /// Cancelled.
        case cancelled

        var isEnded: Bool {
            switch self {
            case .waiting, .running, .paused: false
            case .succeeded, .failed, .cancelled: true
            }
        }
    }

    /// Identifiers of transfers.
    package var ids: [TransferID]?
    /// The name of a group; empty for transfers without a group.
    package var group: String?
    /// The states of the transfers.
    package var states: Set<State>?
    /// The kind of the transfers.
    package var direction: TransferSnapshot.Direction?

    /// Creates a query from its properties.
    ///
    /// - Parameters:
    ///   - ids: The identifiers of the transfers.
    ///   - group: The group of the transfers; empty for transfers without a group.
    ///   - isEnded: Whether the transfers have ended. With `states`, both must match.
    ///   - direction: The kind of the transfers.
    ///   - states: The states of the transfers.
    public init(
        ids: [TransferID]? = nil, group: String? = nil, isEnded: Bool? = nil,
        direction: TransferSnapshot.Direction? = nil, states: Set<State>? = nil
    ) {
        self.ids = ids
        self.group = group
        self.direction = direction
        self.states = states
        if let isEnded { self.states = (states ?? Set(State.allCases)).filter { $0.isEnded == isEnded } }
    }

    /// All transfers of the session.
    public static let all = TransferQuery()
    /// The transfers that have not ended.
    public static let active = TransferQuery(isEnded: false)
    /// The transfers that have ended: succeeded, failed, or cancelled.
    public static let ended = TransferQuery(isEnded: true)
    /// The transfers that wait, for any reason.
    public static let waiting = TransferQuery(states: [.waiting])
    /// The transfers that run or wait for a response.
    public static let running = TransferQuery(states: [.running])
    /// The transfers that are paused.
    public static let paused = TransferQuery(states: [.paused])
    /// The transfers that have succeeded.
    public static let succeeded = TransferQuery(states: [.succeeded])
    /// The transfers that have failed.
    public static let failed = TransferQuery(states: [.failed])
    /// The transfers that were cancelled.
    public static let cancelled = TransferQuery(states: [.cancelled])

    /// The transfers of one group.
    public static func group(_ name: String) -> TransferQuery {
        TransferQuery(group: name)
    }

    /// Whether a transfer matches the query.
    package func matches(_ transfer: TransferSnapshot) -> Bool {
        (ids?.contains(transfer.id) ?? true) && (group.map { $0 == transfer.group ?? "" } ?? true)
            && (states?.contains(transfer.state.queried) ?? true)
            && (direction.map { $0 == transfer.direction } ?? true)
    }

    /// Whether `selection` needs no further filter.
    var isSelection: Bool { states == nil && direction == nil && (ids == nil || group == nil) }

    /// The narrowest selection that the session can apply; `matches` filters the rest.
    var selection: TransferSelection {
        if let ids { return .ids(ids) }
        return group.map { .group($0) } ?? .all
    }

    /// The query for the first page. A service of any version can apply it: its protocol has no states.
    var page: ListQuery {
        ListQuery(selection: selection, ended: isEnded, limit: 5_000)
    }

    /// Whether all states are those of ended transfers (`true`) or of active ones (`false`).
    private var isEnded: Bool? {
        guard let states, let first = states.first?.isEnded else { return nil }
        return states.allSatisfy { $0.isEnded == first } ? first : nil
    }
}

extension TransferState {
    /// The state without its details.
    fileprivate var queried: TransferQuery.State {
        switch self {
        case .waiting: .waiting
        case .running, .awaitingResponse: .running
        case .paused: .paused
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}
