/// Blocks threads until a test opens it, and counts the arrivals, so that a test never has to guess.
package final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivals = 0
    }

    private let state = Monitor(State())

    package init() {}

    /// Releases all waiting and later threads.
    package func open() {
        state.update { $0.isOpen = true }
    }

    /// The number of arrivals so far.
    package var arrivals: Int { state.value.arrivals }

    /// Blocks until the latch is open, however long that takes.
    package func pass() {
        state.update { $0.arrivals += 1 }
        while (try? state.wait(for: "a gate to open", until: { $0.isOpen ? true : nil })) == nil {
            // A test may keep a gate closed beyond any time limit; the test's own waits have limits.
        }
    }

    /// Blocks until there were that many arrivals.
    package func waitForArrivals(_ count: Int = 1) throws {
        try state.wait(for: "\(count) arrivals at a gate") { $0.arrivals >= count ? () : nil }
    }

    /// Waits until there were that many arrivals.
    package func waitForArrivals(_ count: Int = 1) async throws {
        try await aside { try self.waitForArrivals(count) }
    }
}
