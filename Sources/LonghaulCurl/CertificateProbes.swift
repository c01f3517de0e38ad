import CCurl
import LonghaulCore
import LonghaulSystem

/// Fetches the certificates of untrusted servers before the ends of their exchanges are reported: over a separate
/// connection, which exchanges certificates and sends no request. Owned by the network thread.
struct CertificateProbes {
    private struct Question: Hashable, Sendable {
        var url: TransferURL
        var network: NetworkOptions

        static func == (left: Self, right: Self) -> Bool {
            left.url.origin == right.url.origin && left.network == right.network
        }

        func hash(into hasher: inout Hasher) { hasher.combine(url.origin) }
    }

    /// An answer serves exchanges that end together.
    private static let lifetime: Int64 = 1_000_000_000
    private static let seconds: Int64 = 3

    private let inquiries: Inquiries<Question, ServerCertificate?>
    /// The ends of exchanges whose servers are being inspected.
    private var ends: [Ticket: ExchangeOutcome] = [:]

    init(_ clock: EngineClock, tell: @escaping @Sendable (Ticket, ServerCertificate?) -> Void) {
        inquiries = Inquiries(
            lifetime: Self.lifetime, clock: clock, answer: { Self.certificate(at: $0.url, $0.network) },
            answerWithoutThread: { _ in nil }, tell: tell)
    }

    /// Returns whether the end is reported later, with the server's certificate. If several exchanges fetched one file
    /// together, the server that failed is unknown.
    mutating func begin(_ exchange: Exchange, _ outcome: ExchangeOutcome) -> Bool {
        guard case .broke(let failure) = outcome.ending, Self.isAboutTrust(failure),
            !(exchange.segmentPool?.machine.isEnding ?? false)
        else { return false }
        ends[exchange.ticket] = outcome
        var network = exchange.plan.connecting
        network.clientCertificate = nil
        inquiries.query(Question(url: exchange.url, network: network), for: exchange.ticket)
        return true
    }

    mutating func end(_ ticket: Ticket, _ certificate: ServerCertificate?) -> ExchangeOutcome? {
        guard var outcome = ends.removeValue(forKey: ticket) else { return nil }
        guard let certificate, case .broke(var failure) = outcome.ending else { return outcome }
        failure.certificate = certificate
        failure.summary += " " + certificate.sentence
        outcome.ending = .broke(failure)
        return outcome
    }

    func shutDown() { inquiries.shutDown() }

    private static func isAboutTrust(_ failure: TransferFailure) -> Bool {
        [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH]
            .contains { failure.origin == .curl(Int($0.rawValue)) }
    }

    private static func certificate(at url: TransferURL, _ network: NetworkOptions) -> ServerCertificate? {
        guard let share = ConnectionShare(), let easy = EasyHandle(buffer: .usual, share: share) else { return nil }
        var network = network
        network.allowsUntrustedServer = true
        network.trustedKeys = [:]
        network.connectTimeout = min(network.connectTimeout, .seconds(seconds))
        easy.set(CURLOPT_URL, url.origin)
        easy.set(CURLOPT_PROTOCOLS_STR, "https")
        easy.set(CURLOPT_NOSIGNAL, 1)
        guard (try? network.setUp(easy, for: url, logins: ProxyLogins())) != nil else { return nil }
        // Any scheme that libcurl and the proxy have in common.
        easy.set(CURLOPT_PROXYAUTH, 7)
        if let authorities = network.proxyCAFile { easy.set(CURLOPT_PROXY_CAINFO, authorities) }
        easy.set(CURLOPT_TIMEOUT_MS, Int(seconds) * 1_000)
        easy.set(CURLOPT_CERTINFO, 1)
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        guard easy.refusal == nil, curl_easy_perform(easy.raw) == CURLE_OK, let text = easy.firstCertificate else {
            return nil
        }
        return ServerCertificate(pem: text, origin: url.origin)
    }
}

extension EasyHandle {
    /// The server's own certificate, as PEM.
    fileprivate var firstCertificate: String? {
        var pointer: UnsafeMutableRawPointer?
        guard longhaul_curl_get_pointer(raw, CURLINFO_CERTINFO, &pointer) == CURLE_OK, let pointer else { return nil }
        let chain = pointer.assumingMemoryBound(to: curl_certinfo.self).pointee
        guard chain.num_of_certs > 0 else { return nil }
        var line = chain.certinfo[0]
        while let entry = line {
            let text = String(cString: entry.pointee.data)
            if text.hasPrefix("Cert:") { return String(text.dropFirst(5)) }
            line = entry.pointee.next
        }
        return nil
    }
}
