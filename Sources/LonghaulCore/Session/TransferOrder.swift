/// A command for each of the selected transfers.
package enum TransferOrder: Equatable, Sendable {
    case control(ControlVerb)
    case adjust(TransferAdjustment)

    package var event: TransferEvent {
        switch self {
        case .control(let verb): .command(verb)
        case .adjust(let adjustment): .adjusted(adjustment)
        }
    }

    /// The transfers that "all" selects, as in `ListQuery.ended`. The others are not even read.
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

/// The progress of a command through the selected transfers.
package struct OrderWalk: Equatable, Sendable {
    package let order: TransferOrder
    /// The result so far; complete after the last transfer.
    package private(set) var answer = ControlAnswer(changed: 0)
    private var ids: ArraySlice<TransferID>
    private let reportsRefusals: Bool
    /// How many of the remaining transfers may start beyond the limits: a few that were named.
    private var startCount: Int

    /// "All" selects the transfers that the command applies to. Only a transfer that was named, or that an adjustment
    /// does not fit, is worth a refusal.
    package init(_ order: TransferOrder, _ ids: [TransferID], areNamed: Bool) {
        self.order = order
        self.ids = ids[...]
        startCount = order.retries && areNamed ? TransferOptions.mostAttended : 0
        reportsRefusals = if case .adjust = order, !order.retries { true } else { areNamed }
    }

    /// The number of remaining transfers.
    package var count: Int { ids.count }

    /// Returns the next transfers.
    package mutating func next(_ most: Int) -> ArraySlice<TransferID> {
        defer { ids = ids.dropFirst(most) }
        return ids.prefix(most)
    }

    package mutating func addRefusal(_ refusal: TransferFailure, of id: TransferID) {
        if reportsRefusals { answer.refusals.append(.init(id: id, failure: refusal)) }
    }

    /// Returns whether one more transfer may start beyond the limits.
    package mutating func takeStart() -> Bool {
        guard startCount > 0 else { return false }
        startCount -= 1
        return true
    }

    package mutating func registerChange() { answer.changed += 1 }
}
