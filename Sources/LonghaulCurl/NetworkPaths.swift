import LonghaulCore
import LonghaulSystem

/// The paths to servers, and the inquiries about them.
struct NetworkPaths {
    let alternatives: Alternatives
    let proxies: ProxyFinder
    var certificates: CertificateProbes
    var names: NameLookups
    var originProbes = OriginProbes()
    var logins = ProxyLogins()
    var failures = ProxyFailures()

    func shutDown() {
        proxies.shutDown()
        certificates.shutDown()
        names.shutDown()
    }
}

// The results of inquiries.
extension NetworkThread {
    /// Returns whether the proxy for an exchange's next server is known. If not, the exchange waits until it is found.
    func knowsProxy(of exchange: Exchange) -> Bool {
        guard let source = exchange.plan.unknownProxy(for: exchange.url) else { return true }
        exchange.machine.holdBack()
        ways.proxies.query(ProxyQuestion(source: source, url: exchange.url), for: exchange.ticket)
        return false
    }

    func proxyFound(_ answer: Result<FoundProxy, TransferFailure>, for ticket: Ticket) {
        guard let exchange = exchanges[ticket], case .heldBack = exchange.machine.phase else { return }
        switch answer {
        case .success(let proxy):
            exchange.plan.found(ways.failures.sorted(proxy, at: now), for: exchange.url)
            exchange.transfer()
        case .failure(let failure): exchange.fail(failure)
        }
    }

    func certificateSeen(_ certificate: ServerCertificate?, by ticket: Ticket) {
        guard let outcome = ways.certificates.end(ticket, certificate) else { return }
        emit(ticket, .exchangeEnded(outcome))
    }

    func nameLooked(up answer: NameLookup?, by ticket: Ticket) {
        guard let outcome = ways.names.end(ticket, answer) else { return }
        emit(ticket, .exchangeEnded(outcome))
    }

    /// Drops the inquiries of an exchange that has ended.
    func forgetInquiries(of ticket: Ticket) {
        certificateSeen(nil, by: ticket)
        nameLooked(up: nil, by: ticket)
    }
}
