/// A named proxy: `[scheme://][user[:password]@]host[:port][/]`.
package struct ProxyAddress: Equatable, Sendable {
    package enum Fault: Error {
        case scheme
        case host
    }

    package static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// In lowercase.
    package let scheme: String
    /// Decoded; `nil` without a login.
    package let user: String?
    package let password: String
    /// An IPv6 address has its brackets.
    package let host: String
    package let port: Int

    /// Unlike libcurl, the last `@` ends the login, so that a password may contain any character.
    package init(parsing text: String) throws(Fault) {
        var (scheme, rest) = ("http", text[...])
        if let end = rest.firstRange(of: "://") {
            scheme = rest[..<end.lowerBound].lowercased()
            rest = rest[end.upperBound...]
        }
        guard Self.schemes.contains(scheme) else { throw .scheme }
        let login = rest.lastIndex(of: "@").map { rest[..<$0] }
        if let login { rest = rest[rest.index(after: login.endIndex)...] }
        rest = rest.prefix { $0 != "/" }
        guard let url = try? TransferURL(parsing: "http://\(rest)"), url.query == nil, url.fragment == nil else {
            throw .host
        }
        let afterAddress = rest.lastIndex(of: "]").map { rest[$0...] } ?? rest
        // The default ports of libcurl.
        port = afterAddress.contains(":") ? url.port : scheme == "https" ? 443 : 1080
        host = url.host
        self.scheme = scheme
        let name = login?.prefix { $0 != ":" }
        user = name.map(Self.decoded)
        password = Self.decoded(login?.dropFirst((name?.count ?? 0) + 1) ?? "")
    }

    /// The host and the port, for a message.
    package var endpoint: String { "\(host):\(port)" }

    package var isHTTP: Bool { scheme.hasPrefix("http") }

    /// Returns the URL with an encoded login, which libcurl decodes once.
    package func text(withLogin: Bool) -> String {
        let login =
            withLogin ? user.map { PercentCoding.segment($0) + ":" + PercentCoding.segment(password) + "@" } ?? "" : ""
        return "\(scheme)://\(login)\(endpoint)"
    }

    private static func decoded(_ text: Substring) -> String {
        PercentCoding.decode(text.utf8).map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    }
}

extension ProxyAddress.Fault {
    /// The failure for a proxy with this fault. A setting may contain a password, so the message quotes only what follows the login.
    package func failure(of proxy: String) -> TransferFailure {
        let shown = proxy.lastIndex(of: "@").map { "…" + proxy[$0...] } ?? proxy
        return switch self {
        case .scheme:
            TransferFailure(
                .proxyFailed,
                "Cannot use the proxy \"\(shown)\": its scheme must be http, https, socks4, socks4a, socks5, or socks5h. Correct --proxy, or a variable such as http_proxy."
            )
        case .host:
            TransferFailure(
                .proxyFailed,
                "Cannot use the proxy \"\(shown)\": it must be a host with a port, such as proxy.example:3128. Correct --proxy, or a variable such as http_proxy."
            )
        }
    }
}
