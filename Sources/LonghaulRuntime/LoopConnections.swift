import LonghaulCore

/// Connections beyond the first of each download: what a host's limit leaves, for as long as no other transfer takes it.
extension SessionLoop {
    /// After each turn, since whoever has begun or ended leaves less or more.
    func shareConnections() {
        guard !isDead, engine != nil, traffic.isSpread else { return }
        let changed = traffic.shareConnections { [turns] id in
            guard let transfer = turns.live[id] else { return nil }
            return (
                transfer.host, turns.queue.limits.connections(chosen: transfer.record.spec.options.segments),
                turns.queue.runningCount(withHostOf: id)
            )
        }
        for (ticket, connections) in changed { engine?.setConnections(connections, of: ticket) }
    }
}
