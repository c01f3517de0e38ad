/// A filter for the transfers of a session. A property that is `nil` matches any transfer.
public struct TransferQuery: Equatable, Sendable {
    /// Identifiers of transfers.
    package var ids: [TransferID]?
    /// The name of a group; empty for transfers without a group.
    package var group: String?
    /// Whether the transfers have ended.
    package var isEnded: Bool?
    /// The kind of the transfers.
    package var direction: TransferSnapshot.Direction?

    /// Creates a query from its properties.
    public init(
        ids: [TransferID]? = nil, group: String? = nil, isEnded: Bool? = nil,
        direction: TransferSnapshot.Direction? = nil
    ) {
        self.ids = ids
        self.group = group
        self.isEnded = isEnded
        self.direction = direction
    }

    /// All transfers of the session.
    public static let all = TransferQuery()

    /// The transfers of one group.
    public static func group(_ name: String) -> TransferQuery {
        TransferQuery(group: name)
    }

    /// Whether a transfer matches the query.
    package func matches(_ transfer: TransferSnapshot) -> Bool {
        (ids?.contains(transfer.id) ?? true) && (group.map { $0 == transfer.group ?? "" } ?? true)
            && (isEnded.map { $0 == transfer.state.isEnded } ?? true)
            && (direction.map { $0 == transfer.direction } ?? true)
    }

    /// Whether `selection` needs no further filter.
    var isSelection: Bool { isEnded == nil && direction == nil && (ids == nil || group == nil) }

    /// The narrowest selection that the session can apply; `matches` filters the rest.
    var selection: TransferSelection {
        if let ids { return .ids(ids) }
        return group.map { .group($0) } ?? .all
    }

    /// The query for the first page.
    var page: ListQuery {
        ListQuery(selection: selection, ended: isEnded, limit: 5_000)
    }
}
