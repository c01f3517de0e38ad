import LonghaulCore
import LonghaulSystem

/// By which ways servers are reached, and what they show of themselves.
struct Ways {
    let alternatives: Alternatives
    let proxies: ProxyFinder
    var certificates: CertificateLooks
    var names: NameLookups
    var scouts = Scouts()

    func shutDown() {
        proxies.shutDown()
        certificates.shutDown()
        names.shutDown()
    }
}

// What was found out about them.
extension NetworkThread {
    /// Whether it is known which proxy leads to the server that an exchange asks next, if any. If not, the exchange waits until that is found
    /// out.
    func knowsProxy(of exchange: Exchange) -> Bool {
        guard let source = exchange.plan.unknownProxy(for: exchange.url) else { return true }
        exchange.machine.holdBack()
        ways.proxies.ask(ProxyQuestion(source: source, url: exchange.url), for: exchange.ticket)
        return false
    }

    func proxyFound(_ answer: Result<FoundProxy, TransferFailure>, for ticket: Ticket) {
        guard let exchange = exchanges[ticket], case .heldBack = exchange.machine.phase else { return }
        switch answer {
        case .success(let proxy):
            exchange.plan.found(proxy, for: exchange.url)
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

    /// No one waits for what is found out about an exchange that is over.
    func forgetInquiries(of ticket: Ticket) {
        certificateSeen(nil, by: ticket)
        nameLooked(up: nil, by: ticket)
    }
}
