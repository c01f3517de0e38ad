/// Which transfers of a session are meant. What is `nil` does not narrow the choice.
public struct TransferQuery: Equatable, Sendable {
    /// Only these.
    public var ids: [TransferID]?
    /// Only those of this group; empty for those without one.
    public var group: String?
    /// Only those that have (true) or have not (false) ended.
    public var isEnded: Bool?
    /// Only those that go this way.
    public var direction: TransferSnapshot.Direction?

    /// Chooses.
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

    /// Those of one group.
    public static func group(_ name: String) -> TransferQuery {
        TransferQuery(group: name)
    }

    /// Whether a transfer is meant, as it is now.
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
