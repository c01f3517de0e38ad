import LonghaulCore
import LonghaulSystem

// The end of exchanges and connections when the network is lost.
extension NetworkThread {
    /// Ends each connection, used or idle, whose local address or route is gone. Its server cannot report the end, and
    /// this machine would notice only at the silence timeout. libcurl finds the error, and does not reuse an idle
    /// connection.
    func abortCutConnections() {
        for socket in Array(deferred.openSockets.keys) + taken.all where LentDescriptor(socket).isCut {
            LentDescriptor(socket).abort()
        }
    }

    /// Returns whether the exchange connects only to this machine, without a network.
    private func staysOnThisMachine(_ exchange: Exchange) -> Bool {
        [exchange.url.host, exchange.plan.connecting.knownProxy(for: exchange.url)?.host].contains { host in
            guard let host else { return false }
            return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
        }
    }

    /// Reports a failure without any network as `offline`: the server is not at fault, so it uses no retry.
    func recordLackOfNetwork(_ exchange: Exchange, _ outcome: inout ExchangeOutcome) {
        guard case .broke(var failure) = outcome.ending, failure.code.mayBeLackOfNetwork, !staysOnThisMachine(exchange),
            RetryPolicy.decide(failure, headers: []) != .never, !Machine.hasNetwork
        else { return }
        failure.code = .offline
        failure.summary = "Could not reach \(exchange.url.endpoint): this machine has no network. Connect it to one."
        outcome.ending = .broke(failure)
    }
}

extension FailureCode {
    fileprivate var mayBeLackOfNetwork: Bool {
        switch self {
        case .nameLookupFailed, .timedOut, .connectionFailed, .connectionLost, .proxyFailed: true
        default: false
        }
    }
}
