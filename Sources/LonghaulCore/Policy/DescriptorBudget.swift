/// The number of transfers that a process can run with its limit of file descriptors.
package struct DescriptorBudget: Equatable, Sendable {
    /// The connection, a duplicate while the engine reads from it directly, the file, and one more while the host's
    /// second address is tried or its name is looked up.
    package static let perTransfer = 4

    /// The process's limit of open files and sockets.
    package let limit: Int
    /// Reserved for clients, stores, helpers, and other files that the process opens briefly.
    package let reserve: Int
    /// The maximum number of running transfers.
    package let transfers: Int

    package init(limit: Int) {
        self.limit = limit
        reserve = min(max(limit / 8, 64), 1_024)
        transfers = max((limit - reserve) / Self.perTransfer, 1)
    }
}
