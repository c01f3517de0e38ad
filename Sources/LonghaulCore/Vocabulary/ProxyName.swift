/// The host of a proxy: `[scheme://][user:password@]host[:port][/]`, parsed like curl does.
package enum ProxyName {
    /// Returns `nil` if there is no host, or if the host is an IPv6 address.
    package static func host(_ proxy: String) -> String? {
        let host = split(proxy).authority.prefix { $0 != ":" }
        return host.isEmpty || host.hasPrefix("[") ? nil : String(host)
    }

    /// Returns `host:port`, without a login. libcurl's default ports are 443 for an HTTPS proxy and 1080 for all others.
    package static func endpoint(_ proxy: String) -> String {
        let (scheme, authority) = split(proxy)
        let afterAddress = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
        return afterAddress.contains(":") ? String(authority) : authority + (scheme == "https" ? ":443" : ":1080")
    }

    private static func split(_ proxy: String) -> (scheme: String, authority: Substring) {
        var (scheme, rest) = ("", proxy[...])
        if let end = rest.utf8.indices.first(where: { rest[$0...].hasPrefix("://") }) {
            scheme = rest[..<end].lowercased()
            rest = rest[rest.utf8.index(end, offsetBy: 3)...]
        }
        rest = rest.prefix { $0 != "/" }
        if let login = rest.lastIndex(of: "@") { rest = rest[rest.index(after: login)...] }
        return (scheme, rest)
    }
}
