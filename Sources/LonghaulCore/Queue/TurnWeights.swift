/// How much room a transfer takes of a limit, by whether it shares a connection.
///
/// A limit is filled by so many connections or by so many streams, and by any mixture of them in proportion. Counted in parts of
/// a connection that both numbers divide, so that nothing is rounded.
struct TurnWeights {
    private let total: Int
    private let perHost: Int
    private let streams: Int

    init(_ limits: SessionLimits) {
        total = Self.bounded(limits.total)
        perHost = Self.bounded(limits.perHost)
        streams = Self.bounded(limits.streams)
    }

    /// Whether one more fits among all that run, `sharing` of them over shared connections.
    func hasRoomInAll(running: Int, sharing: Int, forSharing: Bool) -> Bool {
        taken(of: total, running, sharing) + (forSharing ? total : streams) <= total * streams
    }

    /// Whether more run than fit.
    func isBeyond(running: Int, sharing: Int) -> Bool {
        taken(of: total, running, sharing) > total * streams
    }

    /// Whether one more fits with a host whose transfers share connections. One that takes a connection of its own may
    /// be a little too much: only when it begins it is known for one.
    func hasRoomAtHost(running: Int, sharing: Int) -> Bool {
        taken(of: perHost, running, sharing) + perHost <= perHost * streams
    }

    private func taken(of connections: Int, _ running: Int, _ sharing: Int) -> Int {
        (running - sharing) * streams + sharing * connections
    }

    /// Products of these fit, whatever a damaged store says.
    private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), 1_000_000) }
}
