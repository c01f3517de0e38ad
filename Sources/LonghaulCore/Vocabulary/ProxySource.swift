/// A source of the proxy, queried each time that a transfer begins, instead of a named proxy.
package enum ProxySource: Hashable, Sendable {
    /// The desktop's settings.
    case system
    /// A proxy script (PAC): an absolute path, or a URL.
    case script(String)

    /// Returns `nil` for a named proxy.
    package init?(_ proxy: String) {
        if proxy == "system" {
            self = .system
        } else if proxy.hasPrefix(Self.scriptPrefix) {
            self = .script(String(proxy.dropFirst(Self.scriptPrefix.count)))
        } else {
            return nil
        }
    }

    package static let scriptPrefix = "pac+"
}

/// The result of a query: the proxy, empty for none, and the hosts that need no proxy.
package struct FoundProxy: Equatable, Sendable {
    package var url: String
    package var exceptions: String
    /// The proxies to use if that one cannot be reached, in order.
    package var fallbacks: [String]

    package init(url: String, exceptions: String = "", fallbacks: [String] = []) {
        self.url = url
        self.exceptions = exceptions
        self.fallbacks = fallbacks
    }

    /// Reads a script's answer: `PROXY host:port; SOCKS host:port; DIRECT`. Unknown entries are skipped, as in browsers. Returns `nil` if
    /// there is no valid entry.
    package init?(answer: String) {
        let urls = answer.split(separator: ";").compactMap(Self.url)
        guard let first = urls.first else { return nil }
        self.init(url: first, fallbacks: Array(urls.dropFirst()))
    }

    private static func url(_ entry: Substring) -> String? {
        let words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let kind = words.first?.uppercased() else { return nil }
        if kind == "DIRECT", words.count == 1 { return "" }
        guard let scheme = schemes[kind], words.count == 2, let address = words.last, !address.contains("/"),
            let url = try? TransferURL(parsing: "http://" + address), url.path == "/"
        else { return nil }
        // libcurl's default port is not that of scripts.
        return scheme + "://" + (scheme == "http" ? url.endpoint : address)
    }

    private static let schemes = [
        "PROXY": "http", "HTTP": "http", "HTTPS": "https", "SOCKS": "socks5h", "SOCKS5": "socks5h", "SOCKS4": "socks4a",
    ]
}

extension NetworkOptions {
    /// `nil` if the proxy is named, or left to the environment.
    package var proxySource: ProxySource? { proxy.flatMap(ProxySource.init) }

    /// Returns the options with the proxy that was found instead of its source.
    package func using(_ found: FoundProxy) -> NetworkOptions {
        var network = self
        network.proxy = found.url
        // No proxy is used, even if the environment names one.
        network.variables = ProxyVariables()
        network.noProxy = network.noProxy ?? found.exceptions
        return network
    }
}
