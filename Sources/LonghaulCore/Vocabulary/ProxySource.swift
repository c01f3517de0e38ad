/// Where it is found out which proxy a transfer takes, each time that it begins, in the place of a proxy that is named.
package enum ProxySource: Hashable, Sendable {
    /// The desktop's settings.
    case system
    /// A script that browsers know as PAC: an absolute path, or a URL.
    case script(String)

    /// `nil` for a proxy that is named.
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

/// What was found out: the proxy, empty for none, and the hosts that are reached without.
package struct FoundProxy: Equatable, Sendable {
    package var url: String
    package var exceptions: String

    package init(url: String, exceptions: String = "") {
        self.url = url
        self.exceptions = exceptions
    }

    /// The first way that a script's answer names: `PROXY host:port; SOCKS host:port; DIRECT`. `nil` for what is none.
    package init?(answer: String) {
        let words = (answer.split(separator: ";").first ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        guard let kind = words.first?.uppercased() else { return nil }
        if kind == "DIRECT", words.count == 1 {
            self.init(url: "")
            return
        }
        guard let scheme = Self.schemes[kind], words.count == 2, let address = words.last,
            (try? TransferURL(parsing: "http://" + address))?.path == "/", !address.contains("/")
        else { return nil }
        self.init(url: scheme + "://" + address)
    }

    private static let schemes = [
        "PROXY": "http", "HTTP": "http", "HTTPS": "https", "SOCKS": "socks5h", "SOCKS5": "socks5h", "SOCKS4": "socks4a",
    ]
}

extension NetworkOptions {
    /// `nil` where the proxy is named, or left to the environment.
    package var proxySource: ProxySource? { proxy.flatMap(ProxySource.init) }

    /// With what was found out in the place of where that was to be done.
    package func using(_ found: FoundProxy) -> NetworkOptions {
        var network = self
        network.proxy = found.url
        // No proxy is meant, also where the environment has one.
        network.variables = ProxyVariables()
        network.noProxy = network.noProxy ?? found.exceptions
        return network
    }
}
