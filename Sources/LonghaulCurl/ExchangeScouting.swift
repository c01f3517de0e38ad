import LonghaulCore

/// How an exchange learns about the connections of its host, for itself and for others.
extension Exchange {
    /// Returns whether the exchange may connect now. If not, it waits for the first connection (``OriginProbes``).
    func mayConnect() -> Bool {
        if thread.ways.originProbes.mayConnect(ticket, to: place, at: thread.now) { return true }
        machine.holdBack()
        return false
    }

    /// The key of the connections that the exchange can share. Knowledge about TCP connections says nothing about UDP.
    var place: String { (wire.triesHTTP3 ? "h3 " : goesUpAlone ? "up " : "") + url.origin }

    var goesUpAlone: Bool { VersionChoice(exchange: self).separatesBodies }

    /// Continues after the first connection succeeded or ended.
    func followScout() {
        if case .heldBack = machine.phase { transfer() }
    }

    func wayIsKnown() { thread.ways.originProbes.opened(by: ticket, at: thread.now) }

    /// Reports whether others can share the connection, by the version of the final response. It counts for the host in the transfer's
    /// URL, even after a redirect, because the limits apply to that host. Returns whether they can.
    func recordSharing(_ easy: EasyHandle) -> Bool {
        let isShared = easy.hasStreams
        // A request that required its own connection says nothing about the others.
        if plan.yields { return isShared }
        thread.emit(ticket, .sharesConnections(isShared))
        return isShared
    }
}
