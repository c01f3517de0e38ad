import CCurl
import LonghaulCore

/// How the HTTP proxies of recent exchanges want their logins, and which proxies failed. Owned by the network thread.
///
/// A request first presents the login in the Basic scheme, as with curl. A proxy that refuses it names its schemes. libcurl logs in to a
/// proxy for a tunnel, and Longhaul answers the Digest challenge of a proxy that reads requests itself, because libcurl would report its
/// refusal as the response.
struct ProxyLogins {
    enum Scheme: Equatable {
        case basic
        case digest
        case negotiate
    }

    private struct Entry {
        var scheme: Scheme
        /// The challenge of a proxy that reads requests.
        var challenge: DigestChallenge?
        /// The number of requests with a response to the challenge.
        var uses = 0
    }

    private static let capacity = 64
    private static let maximumAnswers = 3

    /// By the proxy's URL with its login.
    private var entries: [String: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    func scheme(for proxy: ProxyAddress) -> Scheme { entries[proxy.text(withLogin: true)]?.scheme ?? .basic }

    /// Processes the challenges of a 407. Returns `false` if there is no other answer to them. `count` is the number of
    /// answers since the last response with another status.
    mutating func receive(
        _ challenges: [Challenge], from proxy: ProxyAddress, isTunnel: Bool, afterAnswers count: Int
    ) -> Bool {
        let key = proxy.text(withLogin: true)
        let offered = Set(challenges.map(\.scheme))
        let (entry, digest) = (entries[key], DigestChallenge(among: challenges))
        let current = entry?.scheme ?? .basic
        var next: Entry?
        if proxy.user != nil {
            let takesDigest = offered.contains("digest") && (isTunnel || digest != nil)
            switch current {
            case .digest where takesDigest:
                // The first refusal of an exchange may be for a nonce that has expired since an earlier one.
                let isRenewed = !isTunnel && (count == 0 || digest?.isStale == true)
                next = isRenewed ? Entry(scheme: .digest, challenge: digest) : nil
            case .digest, .negotiate:
                if takesDigest {
                    next = Entry(scheme: .digest, challenge: digest)
                } else if offered.contains("basic") {
                    next = Entry(scheme: .basic)
                }
            case .basic:
                if takesDigest, !offered.contains("basic") { next = Entry(scheme: .digest, challenge: digest) }
            }
        }
        if next == nil, current != .negotiate, offered.contains("negotiate"), LibcurlFeature.mayHaveTicket,
            proxy.user == nil || offered.isDisjoint(with: ["basic", "digest"])
        {
            next = Entry(scheme: .negotiate)
        }
        if count >= Self.maximumAnswers { next = nil }
        if entries.count >= Self.capacity { entries = [:] }
        entries[key] = next
        return next != nil
    }

    /// Returns the header that answers the known challenge of a proxy that reads requests; `nil` if there is none.
    mutating func header(for proxy: ProxyAddress, method: String, url: TransferURL) -> HeaderField? {
        let key = proxy.text(withLogin: true)
        guard url.scheme == "http", let user = proxy.user, let challenge = entries[key]?.challenge else { return nil }
        entries[key]?.uses += 1
        let nonce = ExchangeIdentity.clientNonce()
        let answer = challenge.answer(
            user: user, password: proxy.password, method: method,
            target: url.path + (url.query.map { "?" + $0 } ?? ""), count: entries[key]?.uses ?? 1, clientNonce: nonce,
            hash: { ExchangeIdentity.hash($0, challenge.algorithm) })
        return HeaderField("Proxy-Authorization", answer.value, isSecret: true)
    }
}

/// Repeats the request of an exchange that a proxy refused, or that could not reach its proxy.
struct ProxyRepetition {
    let exchange: Exchange

    /// Takes the 407 of the proxy that leads to the server. Returns whether the request is to be repeated.
    func answers(_ challenges: [Challenge], isTunnel: Bool) -> Bool {
        guard let proxy = exchange.plan.proxy(to: exchange.url), proxy.isHTTP,
            isTunnel == (exchange.url.scheme == "https"),
            exchange.thread.ways.logins.receive(
                challenges, from: proxy, isTunnel: isTunnel, afterAnswers: exchange.repetition.proxyAnswers)
        else { return false }
        exchange.repetition.proxyAnswers += 1
        return true
    }

    /// Repeats the request with another login for the tunnel, or through the next proxy of a script's answer. Returns whether
    /// it did. Nothing has been sent to the server.
    func run(after code: CURLcode, _ facts: ConnectionFacts) -> Bool {
        guard code != CURLE_OK, !facts.requestLeft, exchange.machine.head == nil, exchange.machine.stop == nil,
            let proxy = exchange.plan.proxy(to: exchange.url)
        else { return false }
        if facts.proxyStatus == 407 {
            guard answers(facts.proxyChallenges, isTunnel: true) else { return false }
        } else {
            guard facts.proxyStatus == 0, code.isOfProxyConnection, exchange.plan.skipProxy() else { return false }
            exchange.thread.ways.failures.record(proxy, at: exchange.thread.now)
        }
        if let body = exchange.body { exchange.repetition.sendAgain(body) }
        exchange.transfer()
        return true
    }
}

extension CURLcode {
    /// Whether it may mean that a proxy cannot be reached, if no proxy has answered.
    fileprivate var isOfProxyConnection: Bool {
        switch self {
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_PROXY,
            CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
            true
        default: false
        }
    }
}

extension ConnectionFacts {
    /// The schemes that a proxy offers for a tunnel, as far as libcurl knows them.
    var proxyChallenges: [Challenge] {
        [(1, "basic"), (2, "digest"), (4, "negotiate"), (8, "ntlm"), (64, "bearer")]
            .compactMap { proxyOffers & $0.0 == 0 ? nil : Challenge(scheme: $0.1) }
    }
}

/// The proxies of scripts that could not be reached a moment ago, and are tried last.
struct ProxyFailures {
    private static let lifetime: Int64 = 60_000_000_000
    private var times: [String: Int64] = [:]

    mutating func record(_ proxy: ProxyAddress, at now: Int64) {
        times = times.filter { now - $0.value < Self.lifetime }
        times[proxy.text(withLogin: false)] = now
    }

    /// Returns the answer with the failed proxies at its end.
    func sorted(_ found: FoundProxy, at now: Int64) -> FoundProxy {
        guard !times.isEmpty, !found.fallbacks.isEmpty else { return found }
        func hasFailed(_ url: String) -> Bool {
            guard let proxy = try? ProxyAddress(parsing: url), let time = times[proxy.text(withLogin: false)] else {
                return false
            }
            return now - time < Self.lifetime
        }
        let all = [found.url] + found.fallbacks
        let order = all.filter { !hasFailed($0) } + all.filter(hasFailed)
        return FoundProxy(url: order[0], exceptions: found.exceptions, fallbacks: Array(order.dropFirst()))
    }
}
