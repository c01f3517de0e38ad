import Synchronization

/// How many bodies can be written by threads of their own at a time, and so how much memory their pieces take. What comes
/// beyond is written by the network thread, which holds one small piece for each.
package final class WriterBudget: Sendable {
    /// For all engines of the process: 52 MiB of pieces.
    package static let process = WriterBudget(limit: 16)
    /// So many have twice the memory, and the first one has more: few bodies at once are the fast ones.
    private static let generousLimit = 4

    private let limit: Int
    private let taken = Atomic(0)

    package init(limit: Int) {
        self.limit = limit
    }

    /// How many huge pages a writer's pieces may take; `nil` when there are as many writers as there may be.
    func take() -> Int? {
        let number = taken.add(1, ordering: .relaxed).newValue
        guard number <= limit else {
            giveBack()
            return nil
        }
        return number == 1 ? 8 : number <= Self.generousLimit ? 2 : 1
    }

    func giveBack() { taken.subtract(1, ordering: .relaxed) }
}
