import Synchronization

/// The number of bodies that separate threads write at a time, which also limits the memory for their pieces. Further
/// bodies are written by the network thread, which holds one small piece for each.
package final class WriterBudget: Sendable {
    /// Shared by all engines of the process: 52 MiB of pieces.
    package static let process = WriterBudget(limit: 16)
    /// The number of writers with twice the memory; the first one has even more. If there are few bodies, they are fast.
    private static let generousLimit = 4

    private let limit: Int
    private let taken = Atomic(0)

    package init(limit: Int) {
        self.limit = limit
    }

    /// Returns the number of huge pages for a writer's pieces; `nil` if the limit of writers is reached.
    func allot() -> Int? {
        let number = taken.add(1, ordering: .relaxed).newValue
        guard number <= limit else {
            giveBack()
            return nil
        }
        return number == 1 ? 8 : number <= Self.generousLimit ? 2 : 1
    }

    func giveBack() { taken.subtract(1, ordering: .relaxed) }
}
