/// The part of a limit that a transfer takes, depending on whether it shares a connection.
///
/// A limit is a number of connections, a number of streams, or any mixture of them in proportion. Counted in fractions of a connection
/// that both numbers divide, so that nothing is rounded.
struct TurnWeights {
    private let total: Int
    private let perHost: Int
    private let streams: Int

    init(_ limits: SessionLimits) {
        total = Self.bounded(limits.total)
        perHost = Self.bounded(limits.perHost)
        streams = Self.bounded(limits.streams)
    }

    /// Returns whether one more fits among all running transfers, `sharing` of which use shared connections.
    func hasRoomInAll(running: Int, sharing: Int, forSharing: Bool) -> Bool {
        taken(of: total, running, sharing) + (forSharing ? total : streams) <= total * streams
    }

    /// Returns whether more transfers run than fit.
    func isBeyond(running: Int, sharing: Int) -> Bool {
        taken(of: total, running, sharing) > total * streams
    }

    /// Returns whether one more fits for a host whose transfers share connections. A transfer that needs its own connection may
    /// exceed the limit slightly, because that is known only when it begins.
    func hasRoomAtHost(running: Int, sharing: Int) -> Bool {
        taken(of: perHost, running, sharing) + perHost <= perHost * streams
    }

    private func taken(of connections: Int, _ running: Int, _ sharing: Int) -> Int {
        (running - sharing) * streams + sharing * connections
    }

    /// Limits the values so that their products fit, even from a damaged store.
    private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), 1_000_000) }
}
