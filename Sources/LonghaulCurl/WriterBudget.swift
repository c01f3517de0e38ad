import Synchronization

/// How many bodies can be written by threads of their own at a time, and so how much memory their pieces take. What comes
/// beyond is written by the network thread, which holds one small piece for each.
package final class WriterBudget: Sendable {
    /// For all engines of the process: 24 MiB of pieces.
    package static let process = WriterBudget(limit: 16)

    private let limit: Int
    private let taken = Atomic(0)

    package init(limit: Int) {
        self.limit = limit
    }

    func take() -> Bool {
        if taken.add(1, ordering: .relaxed).newValue <= limit { return true }
        giveBack()
        return false
    }

    func giveBack() { taken.subtract(1, ordering: .relaxed) }
}
