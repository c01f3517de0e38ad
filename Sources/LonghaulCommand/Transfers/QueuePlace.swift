import LonghaulCore

/// The position of transfers in the queue.
enum QueuePlace: Equatable, Sendable {
    case number(Int)
    case first
    case last

    init?(_ text: String) {
        switch text {
        case "first": self = .first
        case "last": self = .last
        default:
            guard let number = Int(text), TransferAdjustment.priorities.contains(number) else { return nil }
            self = .number(number)
        }
    }

    /// Returns the priority that puts the selected transfers there, before or after all other active ones.
    func priority(
        of selection: TransferSelection, in session: SessionID, over service: any TransferService
    ) async throws(TransferFailure) -> Int {
        if case .number(let number) = self { return number }
        var selected: Set<TransferID> = []
        try await ListPages.forEach(ListQuery(selection: selection, ended: false), in: session, over: service) {
            selected.insert($0.id)
        }
        var others: ClosedRange<Int>?
        try await ListPages.forEach(ListQuery(ended: false), in: session, over: service) { transfer in
            guard !selected.contains(transfer.id) else { return }
            let (low, high) = (others?.lowerBound ?? transfer.priority, others?.upperBound ?? transfer.priority)
            others = min(low, transfer.priority)...max(high, transfer.priority)
        }
        let limits = TransferAdjustment.priorities
        guard let others else { return 0 }
        return self == .first
            ? min(others.upperBound, limits.upperBound - 1) + 1 : max(others.lowerBound, limits.lowerBound + 1) - 1
    }
}
