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
    /// Whether uploads to an origin need HTTP/2, and when that was seen, in monotonic nanoseconds.
    private var uploadVersions: [String: (needsHTTP2: Bool, at: Int64)] = [:]

    init(
        alternatives: Alternatives, proxies: ProxyFinder, certificates: CertificateProbes, names: NameLookups
    ) {
        self.alternatives = alternatives
        self.proxies = proxies
        self.certificates = certificates
        self.names = names
    }

    /// The origins whose last exchange failed. The failure may be that of an old address, which libcurl caches for sixty seconds, or of a
    /// single server behind a balancer, to which the connection leads.
    private var failedOrigins: Set<String> = []

    mutating func record(_ outcome: ExchangeOutcome, at url: TransferURL) {
        guard outcome.mayDependOnServer else { return }
        if failedOrigins.count >= Self.capacity { failedOrigins = [] }
        failedOrigins.insert(url.origin)
    }

    /// Returns whether the next request needs a new connection, and another lookup of its host. Later ones may use that connection and
    /// address.
    mutating func takeFailure(at url: TransferURL) -> Bool {
        !failedOrigins.isEmpty && failedOrigins.remove(url.origin) != nil
    }

    /// A connection may have ended for another reason, so HTTP/1.1 is tried again after ten minutes.
    private static let memory: Int64 = 600_000_000_000
    private static let capacity = 1_000

    /// Returns whether uploads to this origin need HTTP/2; `nil` if unknown.
    func uploadNeedsHTTP2(to url: TransferURL, at now: Int64) -> Bool? {
        uploadVersions[url.origin].flatMap { now - $0.at < Self.memory ? $0.needsHTTP2 : nil }
    }

    mutating func recordUpload(to url: TransferURL, needsHTTP2: Bool, at now: Int64) {
        if uploadVersions.count >= Self.capacity { uploadVersions = [:] }
        uploadVersions[url.origin] = (needsHTTP2, now)
    }

    func shutDown() {
        proxies.shutDown()
        certificates.shutDown()
        names.shutDown()
    }
}

extension ExchangeOutcome {
    /// Whether another connection, perhaps to another address, may have a better result.
    fileprivate var mayDependOnServer: Bool {
        switch ending {
        case .broke(let failure):
            [.connectionRefused, .connectionFailed, .connectionLost, .timedOut, .proxyFailed].contains(failure.code)
        case .responded: head.map { (500...599).contains($0.status) } ?? false
        case .cancelled: false
        }
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
