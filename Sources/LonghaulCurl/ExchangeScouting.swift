import CCurl
import LonghaulCore

/// How an exchange learns of the connections of its host, for itself and for others.
extension Exchange {
    /// Whether it may connect now. If not, it waits for the one that went first (``Scouts``).
    func mayConnect() -> Bool {
        // What is known of a connection over TCP says nothing about one over UDP.
        let place = triesHTTP3 ? "h3 " + url.origin : url.origin
        if thread.scouts.mayConnect(ticket, to: place, at: thread.now) { return true }
        stage = .heldBack
        return false
    }

    /// Whether it is known which proxy leads to its server, if any. If not, it waits until that is found out.
    func knowsProxy() -> Bool {
        guard let source = plan.unknownProxy(for: url) else { return true }
        stage = .heldBack
        thread.ways.proxies.ask(ProxyQuestion(source: source, url: url), for: ticket)
        return false
    }

    /// The one that went first has found the way, or has ended.
    func followScout() {
        if case .heldBack = stage { transfer() }
    }

    func setUpScouting(_ easy: EasyHandle, context: UnsafeMutableRawPointer) {
        let isScout = thread.scouts.isScout(ticket)
        if isScout {
            easy.setBeforeRequest(isConnected)
            easy.set(CURLOPT_PREREQDATA, context)
        }
        // Without TLS there is nothing to learn from a connection but the address.
        guard YieldingMember.isPaced(self) || isScout && url.scheme == "http" else { return }
        easy.setSocketOption(hasAddress)
        easy.set(CURLOPT_SOCKOPTDATA, context)
    }

    func wayIsKnown() { thread.scouts.opened(by: ticket, at: thread.now) }

    /// The final response's version tells whether others can share its connection. It counts for the host that the loop knows,
    /// also when that one sent the exchange on: the limits are those of whom it asks. Returns whether it can.
    func noteSharing(_ easy: EasyHandle) -> Bool {
        let isShared = easy.long(CURLINFO_HTTP_VERSION) >= CURL_HTTP_VERSION_2_0
        // One that has asked for a connection of its own says nothing about the others.
        if plan.yields { return isShared }
        thread.emit(ticket, .sharesConnections(isShared))
        return isShared
    }
}
