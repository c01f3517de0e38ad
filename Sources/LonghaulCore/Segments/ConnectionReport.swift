/// How many connections a download uses at this moment, and why.
package struct ConnectionReport: Equatable, Sendable {
    package var count: Int
    package var reason: ConnectionReason

    package init(count: Int, reason: ConnectionReason) {
        self.count = count
        self.reason = reason
    }
}

/// Why a download uses as many connections as it does.
package enum ConnectionReason: Int, Equatable, Sendable, CaseIterable {
    /// It measures how fast they are.
    case measuring
    /// It tries whether another number is as fast, or faster.
    case trying
    /// More were no faster.
    case noGain
    /// Each is so fast that the disk or the line comes next.
    case fast
    /// It uses the most that it may.
    case most
    /// The rest is too short for another connection.
    case nearEnd
    /// Packets wait on the way.
    case fullLine
    /// The server is far away.
    case far
    /// A limit of rate, or a budget, says how fast it goes.
    case limited
    /// The limit of connections for the host leaves no more.
    case hostLimit
    /// A further connection was refused.
    case refused
    /// The number was set with the transfer.
    case chosen
}
