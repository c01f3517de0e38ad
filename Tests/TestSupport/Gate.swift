/// Holds threads back until a test opens it. It can be seen how many have arrived, so a test never has to guess.
package final class Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var arrivals = 0
    }

    private let state = Monitor(State())

    package init() {}

    /// Lets through whoever waits, and whoever comes later.
    package func open() {
        state.update { $0.isOpen = true }
    }

    /// How many have come here so far.
    package var arrivals: Int { state.value.arrivals }

    /// Blocks until the gate is open, however long that takes.
    package func pass() {
        state.update { $0.arrivals += 1 }
        while (try? state.wait(for: "a gate to open", until: { $0.isOpen ? true : nil })) == nil {
            // A test may hold a gate for longer than anybody's patience; its own waits have limits.
        }
    }

    /// Blocks until that many have come here.
    package func waitForArrivals(_ count: Int = 1) throws {
        try state.wait(for: "\(count) arrivals at a gate") { $0.arrivals >= count ? () : nil }
    }

    /// Waits until that many have come here.
    package func waitForArrivals(_ count: Int = 1) async throws {
        try await aside { try self.waitForArrivals(count) }
    }
}
