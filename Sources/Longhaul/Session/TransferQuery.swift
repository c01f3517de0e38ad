/// A choice among the transfers of a session. A property that is `nil` does not narrow the choice.
public struct TransferQuery: Equatable, Sendable {
    /// Only the transfers with these identifiers.
    public var ids: [TransferID]?
    /// Only the transfers of this group; an empty name means the transfers without a group.
    public var group: String?
    /// Only transfers that have ended (`true`) or have not (`false`).
    public var isEnded: Bool?
    /// Only transfers in this direction.
    public var direction: TransferSnapshot.Direction?

    /// Makes a choice.
    public init(
        ids: [TransferID]? = nil, group: String? = nil, isEnded: Bool? = nil,
        direction: TransferSnapshot.Direction? = nil
    ) {
        self.ids = ids
        self.group = group
        self.isEnded = isEnded
        self.direction = direction
    }

    /// Every transfer of the session.
    public static let all = TransferQuery()

    /// The transfers of one group.
    public static func group(_ name: String) -> TransferQuery {
        TransferQuery(group: name)
    }

    /// Whether the choice includes a transfer as it is now.
    public func matches(_ transfer: TransferSnapshot) -> Bool {
        (ids?.contains(transfer.id) ?? true) && (group.map { $0 == transfer.group } ?? true)
            && (isEnded.map { $0 == transfer.state.isEnded } ?? true)
            && (direction.map { $0 == transfer.direction } ?? true)
    }

    /// The narrowest selection that the session itself can make; `matches` does the rest.
    var selection: TransferSelection {
        if let ids { return .ids(ids) }
        return group.map { .group($0) } ?? .all
    }

    /// The first page of it.
    var page: ListQuery {
        ListQuery(selection: selection, ended: isEnded, limit: 5_000)
    }
}
