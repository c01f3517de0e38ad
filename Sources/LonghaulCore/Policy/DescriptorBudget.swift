/// How many transfers a process can carry with the descriptors that it may have.
package struct DescriptorBudget: Equatable, Sendable {
    /// The connection, its stand-in while the engine reads the real one, the file, and one more while the host's second
    /// address is tried or its name is looked up.
    package static let perTransfer = 4

    /// How many files and sockets the process may have open.
    package let limit: Int
    /// Kept for clients, stores, helpers and what else the process opens for a moment.
    package let reserve: Int
    /// How many transfers may run at once.
    package let transfers: Int

    package init(limit: Int) {
        self.limit = limit
        reserve = min(max(limit / 8, 64), 1_024)
        transfers = max((limit - reserve) / Self.perTransfer, 1)
    }
}
