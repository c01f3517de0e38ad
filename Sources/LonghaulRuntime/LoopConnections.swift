import LonghaulCore

/// Connections beyond the first of each download: what a host's limit leaves, for as long as no other transfer takes it.
extension SessionLoop {
    /// After each turn, since whoever has begun or ended leaves less or more.
    func shareConnections() {
        guard !isDead, traffic.isSpread, let engine else { return }
        traffic.shareConnections(turns.connections).forEach { engine.setConnections($0.connections, of: $0.ticket) }
    }
}

extension TransferTurns {
    /// How many connections a transfer's host takes for its sake, and how many transfers run with it.
    fileprivate func connections(for id: TransferID) -> (host: String, limit: Int, running: Int)? {
        guard let transfer = live[id] else { return nil }
        return (
            transfer.host, queue.limits.connections(chosen: transfer.record.spec.options.segments),
            queue.runningCount(withHostOf: id)
        )
    }
}
