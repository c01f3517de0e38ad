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
        var others: [Int] = []
        try await ListPages.forEach(ListQuery(ended: false), in: session, over: service) {
            if !selected.contains($0.id) { others.append($0.priority) }
        }
        return (self == .first ? QueuePosition.first : .last).priority(among: others)
    }
}
