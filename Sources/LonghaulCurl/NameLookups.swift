import CCurl
import LonghaulCore
import LonghaulSystem

/// Queries the system's resolver for hosts that libcurl could not resolve, before the ends of their exchanges are
/// reported. libcurl has the same error for a name that does not exist and for a resolver that fails. Owned by the
/// network thread.
struct NameLookups {
    /// A host that libcurl could not resolve.
    struct Host: Equatable {
        var name: String
        var isProxy = false

        /// The failure before the system's resolver has answered.
        var unanswered: TransferFailure {
            isProxy
                ? TransferFailure(
                    .nameLookupFailed,
                    "Could not resolve the proxy \(name): the name server failed or did not answer. Check the network.")
                : TransferFailure(
                    .nameLookupFailed,
                    "Could not resolve the host \(name): the name server failed or did not answer. Check the network.")
        }

        var unknown: TransferFailure {
            isProxy
                ? TransferFailure(
                    .proxyFailed, "Could not resolve the proxy \(name): no such host. Check the proxy setting.")
                : TransferFailure(
                    .hostNotFound,
                    "Could not resolve the host \(name): it does not exist or has no address. Check the URL.")
        }
    }

    /// An answer serves exchanges that end together.
    private static let lifetime: Int64 = 1_000_000_000
    /// A silent resolver takes 10 s for each host, so a single thread would delay the other hosts.
    private static let threads = 16

    private let inquiries: Inquiries<String, NameLookup>
    private var ends: [Ticket: (host: Host, outcome: ExchangeOutcome)] = [:]

    init(_ clock: EngineClock, tell: @escaping @Sendable (Ticket, NameLookup) -> Void) {
        inquiries = Inquiries(
            lifetime: Self.lifetime, clock: clock, threads: Self.threads, answer: NameLookup.inUTF8,
            answerWithoutThread: { _ in .unanswered }, tell: tell)
    }

    /// Returns whether the end is reported later, after the resolver has answered.
    mutating func begin(_ exchange: Exchange, _ outcome: ExchangeOutcome) -> Bool {
        guard let host = exchange.wire.unresolved, case .broke(let failure) = outcome.ending,
            failure.code == .nameLookupFailed
        else { return false }
        ends[exchange.ticket] = (host, outcome)
        inquiries.query(host.name, for: exchange.ticket)
        return true
    }

    /// Returns the end. The answer is `nil` if no exchange waits for it any more.
    mutating func end(_ ticket: Ticket, _ answer: NameLookup?) -> ExchangeOutcome? {
        guard let (host, asked) = ends.removeValue(forKey: ticket) else { return nil }
        var outcome = asked
        // If the host is found now, the resolver failed a moment ago.
        if answer == .unknown, case .broke(let failure) = outcome.ending {
            var known = host.unknown
            known.origin = failure.origin
            outcome.ending = .broke(known)
        }
        return outcome
    }

    func shutDown() { inquiries.shutDown() }

    /// Returns the code of the lookup that failed. libcurl 8.14 has the code of a host also for a proxy, if the lookup fails before it is
    /// first checked. With a proxy, libcurl looks up no other host under these codes.
    static func failedLookup(_ code: CURLcode, of exchange: Exchange) -> CURLcode {
        code == CURLE_COULDNT_RESOLVE_HOST && exchange.plan.connecting.knownProxy(for: exchange.url) != nil
            ? CURLE_COULDNT_RESOLVE_PROXY : code
    }

    /// Returns the host that this result of libcurl is about, if any, and records it if the resolver may know more.
    static func unresolvedHost(of exchange: Exchange, _ code: CURLcode, _ facts: ConnectionFacts) -> Host? {
        let (url, connecting) = (exchange.url, exchange.plan.connecting)
        let server = Host(name: url.host)
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: exchange.wire.unresolved = server
        case CURLE_COULDNT_RESOLVE_PROXY: exchange.wire.unresolved = connecting.proxyToLookUp(for: url)
        // A SOCKS proxy without remote DNS receives the server's address.
        case CURLE_PROXY where facts.proxyError == Int(CURLPX_RESOLVE_HOST.rawValue):
            exchange.wire.unresolved = server
        // The lookup used up the connect timeout.
        case CURLE_OPERATION_TIMEDOUT where !facts.hasAddress && !facts.requestLeft:
            return connecting.proxyToLookUp(for: url) ?? server
        default: break
        }
        return exchange.wire.unresolved
    }
}

extension NameLookup {
    /// Looks up a host whose name may be in UTF-8, as libcurl does.
    static func inUTF8(_ host: String) -> NameLookup {
        var answer = NameLookup.unanswered
        ThreadLocale.withUTF8 { answer = query(host) }
        return answer
    }
}

extension NetworkOptions {
    fileprivate func proxyToLookUp(for url: TransferURL) -> NameLookups.Host? {
        knownProxy(for: url).flatMap { $0.host.hasPrefix("[") ? nil : NameLookups.Host(name: $0.host, isProxy: true) }
    }
}
