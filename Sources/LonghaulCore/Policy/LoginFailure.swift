/// The login that a refused request presented, for the message.
package struct PresentedLogin: Equatable, Sendable {
    package var hasCredentials = true
    /// The schemes of a request to a server, in lowercase; empty if they are unknown.
    package var schemes: Set<String> = []
    /// The proxy that leads to the server, if it is known.
    package var proxy: ProxyAddress?

    package init(hasCredentials: Bool = true, schemes: Set<String> = [], proxy: ProxyAddress? = nil) {
        self.hasCredentials = hasCredentials
        self.schemes = schemes
        self.proxy = proxy
    }

    init(_ spec: TransferSpec, at url: String) {
        hasCredentials = spec.hasCredentials
        // Unreadable URLs and proxies were refused.
        let server = try? TransferURL(parsing: url)
        if spec.network.proxySource == nil, let server { proxy = try? spec.network.proxyInUse(for: server) }
        switch spec.network.authentication {
        case .digest: schemes = ["digest"]
        case .negotiate: schemes = ["negotiate"]
        case .any: schemes = hasCredentials ? ["basic", "digest"] : []
        case .preemptive:
            if let field = spec.headers.first(where: { $0.isNamed("Authorization") }) {
                schemes = [field.value.prefix { $0 != " " }.lowercased()]
            } else if (try? TransferURL(parsing: spec.url))?.userInfo != nil {
                schemes = ["basic"]
            }
        }
    }
}

/// The schemes that a server or a proxy offers, and whether Longhaul supports them.
private struct OfferedLogins {
    private static let names = [
        "basic": "Basic", "digest": "Digest", "negotiate": "Negotiate", "bearer": "Bearer", "ntlm": "NTLM",
    ]
    let all: [String]
    let supported: [String]

    /// `known` are the supported schemes. A form of Digest that Longhaul cannot compute is not supported.
    init(_ fields: [String], known: Set<String>) {
        let challenges = Challenge.all(in: fields)
        let lacksDigest =
            DigestChallenge(among: challenges) == nil
            && challenges.contains { $0.scheme == "digest" && !$0.parameters.isEmpty }
        var all: [String] = []
        for scheme in challenges.map(\.scheme) where !all.contains(scheme) { all.append(scheme) }
        self.all = all
        supported = all.filter { known.contains($0) && !($0 == "digest" && lacksDigest) }
    }

    static func list(_ schemes: some Sequence<String>) -> String {
        schemes.map { names[$0] ?? String($0.prefix(32)) }.joined(separator: ", ")
    }
}

// The failures of logins. A message calls credentials wrong only if the server or the proxy could have accepted them.
extension RetryPolicy {
    typealias Denial = (code: FailureCode, what: String, advice: String)

    /// Returns the meaning of a server's refusal, if its headers explain it.
    static func serverDenial(_ head: ResponseHead, server: String, _ login: PresentedLogin) -> Denial? {
        guard head.status == 401 else { return nil }
        let offered = OfferedLogins(
            head.headers.all("WWW-Authenticate"), known: ["basic", "digest", "negotiate", "bearer"])
        if login.schemes == ["negotiate"], offered.all.isEmpty || offered.all.contains("negotiate") {
            return (
                .credentialsRequired, "The server \(server) did not accept a Kerberos ticket (401)", ticketAdvice
            )
        }
        // Credentials in another header, or from a helper, may have any scheme.
        guard !offered.all.isEmpty, login.schemes.isDisjoint(with: offered.all),
            !login.hasCredentials || !login.schemes.isEmpty
        else { return nil }
        if offered.supported.isEmpty {
            return (
                .credentialsRequired,
                "The server \(server) accepts only \(OfferedLogins.list(offered.all)), which Longhaul does not support (401)",
                "use another server or a signed URL"
            )
        }
        guard !login.schemes.isEmpty else {
            guard offered.supported == ["negotiate"] else { return nil }
            return (
                .credentialsRequired, "The server \(server) requires a Kerberos ticket (401)",
                "run kinit, then submit the transfer again with --negotiate"
            )
        }
        let presented = OfferedLogins.list(login.schemes.sorted())
        return (
            .credentialsRequired,
            "The server \(server) offers \(OfferedLogins.list(offered.supported)) and not \(presented) (401)",
            advice(for: offered.supported)
        )
    }

    private static func advice(for schemes: [String]) -> String {
        if schemes.contains("digest") { return "submit the transfer again with -u and --digest or --anyauth" }
        if schemes.contains("negotiate") { return "run kinit, then submit the transfer again with --negotiate" }
        if schemes.contains("basic") { return "submit the transfer again with a user name and a password (-u)" }
        return "submit the transfer again with a token in an Authorization header"
    }

    /// Returns the meaning of a proxy's refusal.
    static func proxyDenial(_ head: ResponseHead, server: String, _ login: PresentedLogin) -> Denial? {
        guard head.status == 407 else { return nil }
        let offered = OfferedLogins(head.headers.all("Proxy-Authenticate"), known: ["basic", "digest", "negotiate"])
        guard let proxy = login.proxy else {
            return (
                .credentialsRequired, "The proxy on the way to \(server) requires another login (407)",
                "name the proxy with --proxy and log in with --proxy-user"
            )
        }
        if offered.supported.isEmpty, !offered.all.isEmpty {
            return (
                .credentialsRequired,
                "The proxy \(proxy.endpoint) accepts only \(OfferedLogins.list(offered.all)), which Longhaul does not support (407)",
                "use another proxy, or ask its operator for Basic, Digest, or Negotiate"
            )
        }
        if offered.supported == ["negotiate"] {
            return (
                .credentialsRequired, "The proxy \(proxy.endpoint) requires a valid Kerberos ticket (407)", ticketAdvice
            )
        }
        guard proxy.user != nil else {
            return (
                .credentialsRequired, "The proxy \(proxy.endpoint) requires a user name and a password (407)",
                "submit the transfer again with --proxy-user"
            )
        }
        return (
            .credentialsRequired, "The proxy \(proxy.endpoint) rejected the user name or the password (407)",
            "submit the transfer again with others"
        )
    }

    private static let ticketAdvice =
        "run kinit; if the ticket is not in the default cache, name that in KRB5CCNAME for the service (longhauld), then retry"

    /// The failure of a login without a ticket, which the engine finds out before it answers a challenge.
    package static func lackOfTicket(for server: String) -> TransferFailure {
        TransferFailure(
            .credentialsRequired, "The server \(server) requires a Kerberos ticket, and there is none (401)",
            advice: ticketAdvice, origin: .status(401))
    }
}
