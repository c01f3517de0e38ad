/// What a command does to each of the transfers that it means.
package enum TransferOrder: Equatable, Sendable {
    case control(ControlVerb)
    case adjust(TransferAdjustment)

    package var event: TransferEvent {
        switch self {
        case .control(let verb): .command(verb)
        case .adjust(let adjustment): .adjusted(adjustment)
        }
    }

    /// Which transfers "all" can mean, as in `ListQuery.ended`: the others are not even looked at.
    package var appliesToEnded: Bool? {
        switch self {
        case .control(.remove): true
        case .adjust, .control: retries ? nil : false
        }
    }

    package var retries: Bool {
        switch self {
        case .control(let verb): verb == .retry
        case .adjust(let adjustment): adjustment.retries
        }
    }
}

/// A command on its way through the transfers that it means.
package struct OrderWalk: Equatable, Sendable {
    package let order: TransferOrder
    /// What is known of the whole when all are done.
    package private(set) var answer = ControlAnswer(changed: 0)
    private var ids: ArraySlice<TransferID>
    private let tellsRefusals: Bool
    /// How many of those to come may start beyond the limits: a few that were named.
    private var startCount: Int

    /// Whoever controls "all" means those to which it applies: only what was named, or is changed, is worth a refusal.
    package init(_ order: TransferOrder, _ ids: [TransferID], areNamed: Bool) {
        self.order = order
        self.ids = ids[...]
        startCount = order.retries && areNamed ? TransferOptions.mostAttended : 0
        tellsRefusals = if case .adjust = order, !order.retries { true } else { areNamed }
    }

    /// How many are still to come.
    package var count: Int { ids.count }

    /// The next ones.
    package mutating func take(_ most: Int) -> ArraySlice<TransferID> {
        defer { ids = ids.dropFirst(most) }
        return ids.prefix(most)
    }

    package mutating func note(_ refusal: TransferFailure, of id: TransferID) {
        if tellsRefusals { answer.refusals.append(.init(id: id, failure: refusal)) }
    }

    /// Whether one more starts beyond the limits.
    package mutating func takeStart() -> Bool {
        guard startCount > 0 else { return false }
        startCount -= 1
        return true
    }

    package mutating func noteChange() { answer.changed += 1 }
}
