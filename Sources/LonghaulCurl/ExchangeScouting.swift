import LonghaulCore

/// How an exchange learns of the connections of its host, for itself and for others.
extension Exchange {
    /// Whether it may connect now. If not, it waits for the one that went first (``Scouts``).
    func mayConnect() -> Bool {
        if thread.ways.scouts.mayConnect(ticket, to: place, at: thread.now) { return true }
        machine.holdBack()
        return false
    }

    /// What it wants to connect to, with all that shares connections there. What is known of a connection over TCP says nothing about
    /// one over UDP.
    var place: String { (wire.triesHTTP3 ? "h3 " : goesUpAlone ? "up " : "") + url.origin }

    /// Whether what sends a body shares no connection with what sends none.
    var goesUpAlone: Bool { LibcurlFeature.mixesBodies && url.scheme == "https" && body != nil }

    /// The one that went first has found the way, or has ended.
    func followScout() {
        if case .heldBack = machine.phase { transfer() }
    }

    func wayIsKnown() { thread.ways.scouts.opened(by: ticket, at: thread.now) }

    /// The final response's version tells whether others can share its connection. It counts for the host that the loop knows,
    /// also when that one sent the exchange on: the limits are those of whom it asks. Returns whether it can.
    func noteSharing(_ easy: EasyHandle) -> Bool {
        let isShared = easy.hasStreams
        // One that has asked for a connection of its own says nothing about the others.
        if plan.yields { return isShared }
        thread.emit(ticket, .sharesConnections(isShared))
        return isShared
    }
}
