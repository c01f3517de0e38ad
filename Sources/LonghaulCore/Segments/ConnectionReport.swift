/// The number of connections of a download at this moment, and the reason.
package struct ConnectionReport: Equatable, Sendable {
    package var count: Int
    package var reason: ConnectionReason

    package init(count: Int, reason: ConnectionReason) {
        self.count = count
        self.reason = reason
    }
}

/// Why a download uses that many connections.
package enum ConnectionReason: Int, Equatable, Sendable, CaseIterable {
    /// Their rate is being measured.
    case measuring
    /// Another number is being tried.
    case trying
    /// More connections were not faster.
    case noGain
    /// Each is so fast that the disk or the line is the next limit.
    case fast
    /// The maximum is reached.
    case most
    /// The rest is too short for another connection.
    case nearEnd
    /// Packets queue on the network path.
    case fullLine
    /// The latency is high.
    case far
    /// A rate limit or a budget limits the rate.
    case limited
    /// The host's limit of connections is reached.
    case hostLimit
    /// A further connection was refused.
    case refused
    /// The number was chosen for the transfer.
    case chosen
}
